import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import screenAuth from '../../lib/index.ts'
import { options } from '../helpers.ts'
import { newHost } from './closed.ts'

const wrong = () => options({ mainMenu: undefined })

/** Ways in which a host ignores the error of the registration. */
const SWALLOWS: Record<string, (app: FastifyInstance) => unknown> = {
  'try and catch around the await': async app => {
    try {
      await app.register(screenAuth, wrong())
    } catch {}
  },
  'an after with an error': app => app.register(screenAuth, wrong()).after((_error: unknown) => {}),
  'an enclosing plugin that catches': app => {
    app.register(async scope => {
      scope.get('/screen', async () => 'open')
      try {
        await scope.register(screenAuth, wrong())
      } catch {}
    })
  },
  'a decorator that is taken': async app => {
    app.decorate('screenAuth', {} as never)
    app.register(screenAuth, options()).after((_error: unknown) => {})
  },
  'a route that is taken': app => {
    app.post('/auth/login', async () => 'x')
    app.register(screenAuth, options()).after((_error: unknown) => {})
  },
  'a second registration that is valid': app => {
    app.register(screenAuth, wrong()).after((_error: unknown) => {})
    app.register(screenAuth, options())
  }
}

const STARTS: Record<string, (app: FastifyInstance) => Promise<unknown>> = {
  ready: async app => app.ready(),
  listen: app => app.listen({ port: 0 }),
  inject: async app => app.inject('/screen')
}

for (const [name, swallow] of Object.entries(SWALLOWS)) {
  t.test(`a host that ignores the registration error never starts: ${name}`, async t => {
    for (const [first, start] of Object.entries(STARTS)) {
      const { app, ran } = newHost(t)
      app.get('/early', async () => 'open')
      await swallow(app)
      if (!name.startsWith('an enclosing plugin')) app.get('/screen', async () => 'open')
      await t.rejects(start(app), first)
      for (const [again, restart] of Object.entries(STARTS)) {
        const outcome = await restart(app).catch(() => ({ statusCode: 503 }))
        if (again === 'inject') t.match(outcome, { statusCode: 503 }, `${first}, then ${again}`)
      }
      t.strictSame(ran, [], first)
      await app.close()
    }
  })
}

for (const [overrides, status] of [
  [{}, 401],
  [{ mainMenu: undefined }, 503]
] as const)
  t.test(`a second start after an onReady hook has failed responds ${status}`, async t => {
    const { app, ran } = newHost(t)
    app.addHook('onReady', async () => {
      throw new Error('not ready')
    })
    app.register(screenAuth, options(overrides)).after((_error: unknown) => {})
    app.get('/screen', async () => 'open')
    await t.rejects(async () => app.ready())
    t.equal((await app.inject('/screen')).statusCode, status)
    t.strictSame(ran, [])
  })

t.test('a host that failed to start responds 503 to every request through app.routing', async t => {
  for (const swallow of [SWALLOWS['try and catch around the await'], SWALLOWS['an after with an error']]) {
    const { app, ran } = newHost(t, { return503OnClosing: false })
    await swallow?.(app)
    app.get('/screen', async () => 'open')
    await t.rejects(async () => app.ready())
    const server = createServer((request, response) => app.routing(request, response)).listen(0)
    t.teardown(() => server.close())
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/screen`)
    t.strictSame([response.status, await response.text()], [503, ''])
    t.strictSame(ran, [])
  }
})
