// What docs/guard.md says about hooks of a host.
import t, { type Test } from 'tap'
import { until } from '../helpers.ts'
import { readPage } from './page.ts'
import { startCode, statusOf, tokenOf } from './program.ts'

const exemption = readPage('docs/guard.md').code.find(code => code.startsWith('if (request.routeOptions'))

/** Starts a server whose own hook rejects requests without a user. */
function start(t: Test, firstLine = '') {
  return startCode(
    t,
    `import Fastify from 'fastify'
    import screenAuth from 'fastify-screen-auth'
    const app = Fastify({ logger: true })
    app.addHook('onRoute', route => {
      route.config = { ...route.config, screenAuth: route.method === 'POST' }
    })
    await app.register(screenAuth, {
      checkCredentials: ({ username }) => ({ username, displayName: 'Ada' }),
      mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: {} })
    })
    app.addHook('onRequest', async (request, reply) => {
      ${firstLine}
      if (request.screenUser === null) return reply.code(401).send()
    })
    await app.listen({ port: 3000 })`
  )
}

t.test('with the line of the page, a hook of the host leaves the login open, and finds the user', async t => {
  const url = await start(t, exemption).listening()
  t.equal(await statusOf(`${url}/auth/login`), 200)
  t.equal(await statusOf(`${url}/menu/main`), 401)
  t.equal(await statusOf(`${url}/menu/main`, await tokenOf(url)), 200)
})

t.test('without the line, nobody can log in, and the log refers to the page', async t => {
  const server = start(t)
  t.equal(await statusOf(`${await server.listening()}/auth/login`), 401)
  await until(() => /"level":40.*see docs\/guard\.md/.test(server.output))
})
