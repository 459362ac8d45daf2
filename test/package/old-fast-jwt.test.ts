// Repeats the tests of forged tokens with a fast-jwt that has vulnerabilities of 2026: older than @fastify/jwt allows.
import Module, { createRequire } from 'node:module'
import t from 'tap'

const OLD = 'fast-jwt-6.1'

type Resolver = { _resolveFilename(request: string, ...rest: unknown[]): string }
const resolver = Module as unknown as Resolver
const resolve = resolver._resolveFilename
resolver._resolveFilename = (request, ...rest) => resolve(request === 'fast-jwt' ? OLD : request, ...rest)

await import('../fuzz/forged-tokens.test.ts')

t.test('the forged tokens are checked with the old fast-jwt', async t => {
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  t.ok(loaded.some(path => path.includes(OLD)))
  t.notOk(loaded.some(path => path.includes('/fast-jwt/')))
})
