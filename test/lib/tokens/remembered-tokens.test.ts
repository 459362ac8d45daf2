import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { bearer, claims, forge, host, now } from '../../helpers.ts'
import { stopClock } from '../../stopped-clock.ts'

const statusOf = async (app: FastifyInstance, token: string) =>
  (await app.inject({ url: '/screen', headers: bearer(token) })).statusCode

function exposedGc(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

t.test('a token that was accepted before is refused when it has expired', async t => {
  const clock = stopClock(t)
  const app = await host(t)
  const token = forge({ ...claims(), exp: now() + 60 })
  t.equal(await statusOf(app, token), 200)
  t.equal(await statusOf(app, token), 200)
  clock.advance(60)
  t.equal(await statusOf(app, token), 401)
})

t.test('a token that was accepted before is refused when the clock goes back before its time', async t => {
  const clock = stopClock(t)
  const app = await host(t)
  const token = forge({ ...claims(), iat: now() - 60 })
  t.equal(await statusOf(app, token), 200)
  clock.advance(-120)
  t.equal(await statusOf(app, token), 401)
})

t.test('a token that was refused before is accepted when its time has come', async t => {
  const clock = stopClock(t)
  const app = await host(t)
  const token = forge({ ...claims(), nbf: now() + 60, exp: now() + 600 })
  t.equal(await statusOf(app, token), 401)
  clock.advance(60)
  t.equal(await statusOf(app, token), 200)
})

t.test('a token that differs in one character from an accepted one is refused', async t => {
  const app = await host(t)
  const token = forge()
  t.equal(await statusOf(app, token), 200)
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'A' ? 'B' : 'A'
    t.equal(await statusOf(app, token.slice(0, i) + other + token.slice(i + 1)), 401, `at ${i}`)
  }
})

t.test('a host that changes the user of a request does not change that of the next', async t => {
  const app = await host(t)
  app.addHook('preHandler', async ({ screenUser }) => {
    if (screenUser !== null) Reflect.set(screenUser, 'username', 'root')
  })
  for (let i = 0; i < 2; i++) {
    const { username } = (await app.inject({ url: '/screen', headers: bearer(forge()) })).json()
    t.equal(username, 'ada')
  }
})

t.test('more tokens than are remembered each keep their own user', async t => {
  const app = await host(t)
  // The plugin remembers 12,000.
  const tokens = Array.from({ length: 12_500 }, (_, i) => forge({ ...claims(), sub: `user-${i}` }))
  await app.ready()
  const wrong = tokens.filter(
    (token, i) => (app.screenAuth.verifyToken(token) as { username: string }).username !== `user-${i}`
  )
  t.strictSame(wrong, [])
  for (const i of [0, 1, 12_499]) {
    const { username } = (await app.inject({ url: '/screen', headers: bearer(tokens[i] as string) })).json()
    t.equal(username, `user-${i}`)
  }
})

t.test('the header that a token was part of is not kept in memory', async t => {
  const app = await host(t)
  await app.ready()
  const gc = exposedGc()
  const used = async () => {
    for (let i = 0; i < 3; i++) {
      gc()
      await setImmediate()
    }
    return process.memoryUsage().heapUsed
  }
  const before = await used()
  let accepted = 0
  for (let i = 0; i < 1000; i++) {
    const token = forge({ ...claims(), sub: `user-${i}` })
    const authorization = Buffer.from(`Bearer ${' '.repeat(15_000)}${token}`).toString('latin1')
    const { statusCode } = await app.inject({ url: '/screen', headers: { authorization } })
    if (statusCode === 200) accepted++
  }
  t.equal(accepted, 1000)
  const more = (await used()) - before
  t.ok(more < 5_000_000, `${more} bytes more`)
})
