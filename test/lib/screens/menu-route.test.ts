import Fastify from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import { ADA, bearer, collectLog, forge, host, MENU, options } from '../../helpers.ts'

t.test('mainMenu is called with the user and the request', async t => {
  const app = await host(t, {
    mainMenu: async (user: unknown, request: { url: string }) => ({ ...MENU, user, url: request.url })
  })
  t.match((await app.inject({ url: '/menu/main?a=1', headers: bearer(forge()) })).json(), {
    user: ADA,
    url: '/menu/main?a=1'
  })
})

t.test('properties of a screen that the contract does not mention are kept at every level', async t => {
  const section = {
    id: 's',
    label: 'S',
    fields: [{ id: 'f', label: 'F', type: 'Number', value: '1', min: 0 }],
    open: true
  }
  const menu = { ...MENU, sections: [section], extra: { a: [{ b: null }] } }
  const app = await host(t, { mainMenu: () => menu })
  t.strictSame((await app.inject({ url: '/menu/main', headers: bearer(forge()) })).json(), {
    ...menu,
    user_display_name: ADA.displayName
  })
})

t.test('mainMenu receives null in the no-auth mode, and the screen has no display name', async t => {
  const app = await host(t, { enabled: false, mainMenu: (user: unknown) => ({ ...MENU, user }) })
  t.strictSame((await app.inject('/menu/main')).json(), { ...MENU, user: null })
})

t.test('the menu responds 500 if mainMenu fails, and only the log has the cause', async t => {
  const failing: [() => unknown, RegExp][] = [
    [() => ({ title: 'no layout' }), /mainMenu must return a ScreenContract: \/layout/],
    [() => Promise.reject(Object.assign(new Error('the cause'), { statusCode: 401 })), /the cause/],
    [() => Promise.reject('the cause'), /the cause/]
  ]
  for (const [mainMenu, cause] of failing) {
    const log = collectLog()
    const app = await host(t, { mainMenu }, log)
    const response = await app.inject({ url: '/menu/main', headers: bearer(forge()) })
    t.equal(response.statusCode, 500)
    t.match(response.json(), {
      code: 'FST_SCREEN_AUTH_SCREEN_FAILED',
      message: 'screen-auth: mainMenu failed'
    })
    t.notMatch(response.body, cause)
    t.match(log.text(), cause)
  }
})

t.test('a screen that cannot be JSON makes its route respond 500 without the error message', async t => {
  const circular: Record<string, unknown> = { ...MENU }
  circular.self = circular
  const refusing = {
    toJSON() {
      throw Object.assign(new Error('a secret of the host'), { statusCode: 401 })
    }
  }
  const changing = { toJSON: () => ({ ...MENU, toJSON: () => 'no screen' }) }
  const vanishing = { toJSON: () => ({ ...MENU, toJSON: () => undefined }) }
  for (const menu of [circular, { ...MENU, big: 1n }, { ...MENU, refusing }, changing, vanishing]) {
    const app = await host(t, { mainMenu: () => menu, loginForm: () => menu })
    for (const [source, response] of [
      ['mainMenu', await app.inject({ url: '/menu/main', headers: bearer(forge()) })],
      ['loginForm', await app.inject('/auth/login')]
    ] as const) {
      t.equal(response.statusCode, 500)
      t.match(response.json(), {
        code: 'FST_SCREEN_AUTH_SCREEN_FAILED',
        message: `screen-auth: ${source} failed`
      })
      t.notMatch(response.body, /secret|circular|self|BigInt/)
    }
  }
})

t.test('a toJSON that does not return an object is named in the log', async t => {
  for (const toJSON of [() => 'no screen', () => undefined]) {
    const log = collectLog()
    const app = await host(t, { mainMenu: () => ({ toJSON: () => ({ ...MENU, toJSON }) }) }, log)
    await app.inject({ url: '/menu/main', headers: bearer(forge()) })
    t.match(log.text(), /the toJSON of the screen that mainMenu returns must return an object/)
  }
})

t.test('a hook of the host can replace the menu with a string, or with a value that is sent as JSON', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setReplySerializer(() => 'by the host')
  await app.register(screenAuth, options({ mainMenu: () => MENU }))
  app.addHook('preHandler', async (_request, reply) => reply.send({ closed: true }))
  app.addHook('preSerialization', async (request, _reply, payload) =>
    'text' in (request.query as object) ? 'a text' : payload
  )
  const bodyOf = async (url: string) => (await app.inject({ url, headers: bearer(forge()) })).body
  t.equal(await bodyOf('/menu/main'), '{"closed":true}')
  t.equal(await bodyOf('/menu/main?text'), 'a text')
})
