import { createHmac } from 'node:crypto'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { base64url, bearer, host, SECRET } from '../helpers.ts'
import { expected, type Server, seen, userOf } from './oracle.ts'
import { holds } from './runs.ts'

/** Half a second past a full one, so that both sides of every limit can be met. */
const TIME = 1_800_000_000_500
const SECOND = 1_800_000_000
const OTHER = 'other-secret-of-at-least-32-bytes'
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const sign = (input: string, secret: string | Buffer = SECRET, hash = 'sha256') =>
  `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
const token = (header: string, payload: string, secret?: string | Buffer, hash?: string) =>
  sign(`${base64url(header)}.${base64url(payload)}`, secret, hash)

const HEADER = '{"alg":"HS256","typ":"JWT"}'
const PAYLOAD = `{"sub":"ada","display_name":"Ada Lovelace","iat":${SECOND - 60},"exp":${SECOND + 60}}`
const VALID = token(HEADER, PAYLOAD)

/** A host whose clock is set by the test, and a judge that compares its answer with what the design says. */
async function setUp(t: Test, secrets: (string | Buffer)[] = [SECRET]) {
  const server: Server = { secrets, time: TIME }
  t.intercept(Date, 'now', { value: () => server.time })
  const app = await host(t, { secret: secrets })
  await app.ready()
  const verdicts = { 200: 0, 401: 0 } as Record<number, number>
  const judge = async (authorization: string) => {
    const answer = await app.inject({ url: '/screen', headers: { authorization } })
    t.strictSame(seen(answer), expected(authorization, server))
  }
  return { app, server, judge, verdicts }
}
