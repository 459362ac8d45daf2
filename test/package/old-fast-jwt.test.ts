// The forged tokens once more, with a fast-jwt that has the faults of 2026: older than any that @fastify/jwt admits.
import Module, { createRequire } from 'node:module'
import t from 'tap'

const OLD = 'fast-jwt-6.1'

type Resolver = { _resolveFilename(request: string, ...rest: unknown[]): string }
const resolver = Module as unknown as Resolver
const resolve = resolver._resolveFilename
resolver._resolveFilename = (request, ...rest) => resolve(request === 'fast-jwt' ? OLD : request, ...rest)

await import('../fuzz/forged-tokens.test.ts')

t.test('the old fast-jwt is in use', async t => {
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  t.ok(loaded.some(path => path.includes(OLD)))
  t.notOk(loaded.some(path => path.includes('/fast-jwt/')))
})
