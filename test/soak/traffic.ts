import { DEMO } from '../../examples/server/user-store.ts'
import { bearer, claims, forge, now } from '../helpers.ts'
import type { Client, ClientResponse, RequestOptions } from './client.ts'

/** Usernames with this prefix are rejected without a hash: Argon2id is too slow to fill the throttle. */
export const CHEAP = 'cheap-'

/** Compares a response with the expected outcome. */
export type See = (response: ClientResponse, expected: string, isRight?: boolean) => void

/** One kind of client. */
export interface Kind {
  name: string
  /** How often in ten minutes. */
  times: number
  /** How many at most at the same time. */
  atATime: number
  /** Whether each sends a new token. */
  bringsToken?: true
  /** @param n a unique number */
  play(n: number, see: See): Promise<void>
}

/** The traffic of ten minutes, with the expected responses. */
export function trafficOf(client: Client): Kind[] {
  const menu = (token: string) => client.send('/menu/main', { headers: bearer(token) })
  const logIn = (username: string, address: string, password = 'a wrong password') =>
    client.send('/auth/login', submission(username, password, address))

  return [
    {
      name: 'valid token',
      times: 400_000,
      atATime: 16,
      bringsToken: true,
      async play(n, see) {
        const response = await menu(validToken(n))
        see(response, '200', response.body.includes(`"user_display_name":"Soak ${n}"`))
      }
    },
    {
      name: 'forged token',
      times: 400_000,
      atATime: 16,
      bringsToken: true,
      play: async (n, see) => see(await menu(forgedToken(n)), '401')
    },
    {
      name: 'expired token',
      times: 200_000,
      atATime: 16,
      bringsToken: true,
      play: async (n, see) => see(await menu(expiredToken(n)), '401')
    },
    {
      name: 'unknown route',
      times: 10_000,
      atATime: 4,
      async play(n, see) {
        see(await client.send(`/unknown/${n}`), '401')
        see(await client.send(`/unknown/${n}`, { headers: bearer(validToken(n)) }), '404')
      }
    },
    {
      name: 'login form',
      times: 10_000,
      atATime: 4,
      play: async (_, see) => see(await client.send('/auth/login'), '200')
    },
    {
      name: 'right login',
      times: 6_000,
      atATime: 4,
      async play(n, see) {
        const response = await logIn(DEMO.username, addressOf(n), DEMO.password)
        see(response, 'accepted')
        const { token } = JSON.parse(response.body)
        see(await client.send('/screen/profile', { headers: bearer(token) }), '200')
      }
    },
    {
      name: 'wrong login, Argon2id',
      times: 12_000,
      atATime: 8,
      play: async (n, see) => see(await logIn(`nobody-${n}`, addressOf(n)), 'rejected')
    },
    {
      name: 'wrong login, cheap',
      times: 60_000,
      atATime: 32,
      play: async (n, see) => see(await logIn(CHEAP + n, addressOf(n)), 'rejected')
    },
    {
      // All at once: no more guesses may pass than one after the other.
      name: 'blocked name and address',
      times: 600,
      atATime: 2,
      async play(n, see) {
        const guesses = Array.from({ length: 12 }, () => logIn(CHEAP + n, addressOf(n)))
        const responses = (await Promise.all(guesses)).sort((a, b) => (a.outcome < b.outcome ? -1 : 1))
        for (const [i, response] of responses.entries()) see(response, i < 2 ? 'blocked' : 'rejected')
      }
    },
    {
      name: 'blocked address',
      times: 60,
      atATime: 2,
      async play(n, see) {
        for (let i = 0; i < 100; i++) see(await logIn(`${CHEAP}${n}-${i}`, addressOf(n)), 'rejected')
        see(await logIn(DEMO.username, addressOf(n), DEMO.password), 'blocked')
      }
    },
    {
      name: 'blocked name',
      times: 60,
      atATime: 2,
      async play(n, see) {
        for (let i = 0; i < 50; i++) see(await logIn(CHEAP + n, `192.0.2.${i}`), 'rejected')
        see(await logIn(CHEAP + n, addressOf(n)), 'blocked')
      }
    },
    {
      name: 'malformed login',
      times: 12_000,
      atATime: 4,
      async play(n, see) {
        const [expected, body, type = 'application/json'] = MALFORMED[n % MALFORMED.length] as Malformed
        const headers = { 'content-type': type, 'x-forwarded-for': addressOf(n) }
        see(await client.send('/auth/login', { method: 'POST', headers, body: [body] }), expected)
      }
    },
    {
      name: 'slow body',
      times: 1_200,
      atATime: 8,
      async play(n, see) {
        const { body, ...rest } = submission(CHEAP + n, 'a wrong password', addressOf(n))
        see(
          await client.send('/auth/login', { ...rest, body: body.toString().match(/.{1,8}/g) ?? [] }),
          'rejected'
        )
      }
    },
    {
      name: 'hang-up before the response',
      times: 6_000,
      atATime: 4,
      async play(n, see) {
        const bytes = `GET /menu/main HTTP/1.1\r\nhost: soak\r\nauthorization: Bearer ${validToken(n)}\r\n\r\n`
        see(await client.hangUp(bytes, 0, n % 2 === 0), 'hung up')
      }
    },
    {
      name: 'hang-up within the body',
      times: 6_000,
      atATime: 4,
      async play(n, see) {
        const bytes = rawSubmission(CHEAP + n, addressOf(n))
        see(await client.hangUp(bytes.slice(0, -20), 10, n % 2 === 0), 'hung up')
      }
    },
    {
      name: 'hang-up within the check',
      times: 3_000,
      atATime: 4,
      async play(n, see) {
        const bytes = rawSubmission(`nobody-${n}`, addressOf(n))
        see(await client.hangUp(bytes, n % 10, n % 2 === 0), 'hung up')
      }
    }
  ]
}

const validToken = (n: number) => forge({ ...claims(), sub: `soak-${n}`, display_name: `Soak ${n}` })

const forgedToken = (n: number) =>
  forge({ ...claims(), sub: `soak-${n}` }, undefined, { secret: 'another secret than that of the server' })

const expiredToken = (n: number) => forge({ ...claims(), sub: `soak-${n}`, iat: now() - 60, exp: now() - 1 })

/** The address of a client: IPv4 for even numbers, else IPv6 with its own /56. */
function addressOf(n: number): string {
  const [high, low] = [n >> 16, n & 0xffff]
  return n % 2 === 0
    ? `10.${high & 0xff}.${low >> 8}.${low & 0xff}`
    : `2001:db8:${low.toString(16)}:${(high << 8).toString(16)}::1`
}

function submission(username: string, password: string, address: string) {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
  const body = [JSON.stringify({ fields: { username, password } })]
  return { method: 'POST', headers, body } satisfies RequestOptions
}

function rawSubmission(username: string, address: string): string {
  const { headers, body } = submission(username, 'a wrong password', address)
  const lines = Object.entries({ host: 'soak', ...headers, 'content-length': body.join('').length })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `POST /auth/login HTTP/1.1\r\n${head}\r\n${body.join('')}`
}

type Malformed = [outcome: string, body: string | Buffer, type?: string]

const MALFORMED: Malformed[] = [
  ['refused 400', '{"fields":{"username":"demo"'],
  ['refused 400', Buffer.from('{"fields":{"username":"\xff","password":"x"}}', 'latin1')],
  ['refused 400', '{"fields":{"username":["demo"],"password":"x"}}'],
  ['refused 400', '{"fields":{"username":"de\\u0000mo","password":"x"}}'],
  ['refused 413', JSON.stringify({ fields: { username: 'demo', password: 'x'.repeat(20_000) } })],
  ['refused 415', 'username=demo&password=x', 'application/x-www-form-urlencoded'],
  ['rejected', '{"fields":{"username":"demo","password":""}}']
]
