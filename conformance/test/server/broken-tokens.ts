// Servers that accept what their own key has not signed or no longer signs, mix up two users, or claim to be the
// reference server.
import { createSecretKey, verify } from 'node:crypto'
import type { CheckServerOptions } from '../../index.ts'
import { parseJwt } from '../../server/jwt.ts'
import type { BrokenServer } from './broken-servers.ts'
import {
  conforming,
  decode,
  type Form,
  hmac,
  isSigned,
  type Parts,
  privateKeyOf,
  publicKeyOf,
  SECOND,
  SECRET,
  sign,
  USERNAME
} from './minimal-server.ts'

const token = (
  name: string,
  clause: string,
  form: Form,
  change: (parts: Parts) => Partial<Parts>,
  options: CheckServerOptions = {}
): BrokenServer => ({ name: `a token: ${name}`, clause, form, options, break: change })

const seconds = () => Math.floor(Date.now() / 1000)
const base64 = (text: string) => Buffer.from(text).toString('base64')
const text = (coded: string) => Buffer.from(coded, 'base64').toString()

/** Accepts a token when the kept check or the test does. */
const also =
  (test: (token: string, content: string, signature: string) => unknown) =>
  (parts: Parts): Partial<Parts> => ({
    isValid(one, request) {
      const [header, claims, signature = ''] = one.split('.')
      return parts.isValid(one, request) || Boolean(test(one, `${header}.${claims}`, signature))
    }
  })

/** Accepts HS256 and HS512 with a text as the secret, as a library does that takes any key for any algorithm. */
const confused = (secret: string | Buffer) =>
  also(
    (one, content, signature) =>
      decode(one).alg === 'HS256' &&
      signature === hmac(content, createSecretKey(Buffer.from(secret)) as never)
  )

/** Accepts what the key in the header verifies, of whatever kind it is. */
const bringsItsKey = also((one, content, signature) => {
  const { jwk } = parseJwt(one)?.header ?? {}
  const key = { key: jwk as never, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
  return jwk && verify('sha256', Buffer.from(content), key, Buffer.from(signature, 'base64url'))
})

const der = (form: Form) =>
  Buffer.from((publicKeyOf(form) as string).replace(/-----.*?-----|\s/g, ''), 'base64')

const second = { secondUsername: SECOND.username, secondPassword: SECOND.password }
const reference = { reference: true, secret: SECRET, appName: 'Willkommen' }
const claims = { sub: USERNAME, display_name: 'Grace Hopper' }
const day = () => ({ iat: seconds(), exp: seconds() + 86_400 })

/** The reference server, but for what it issues. */
const issuing = (name: string, clause: string, issue: () => string, options: CheckServerOptions = {}) =>
  token(name, clause, 'jwt', () => ({ issue, isValid: () => true }), { ...reference, ...options })

export const brokenTokens: BrokenServer[] = [
  ...(['RS256', 'ES256'] as const).flatMap(form => [
    token(`${form}, the expiry is ignored`, '5.3.2', form, () => ({ isValid: one => isSigned(one, form) }), {
      key: privateKeyOf(form)
    }),
    token(
      `${form}, the expiry is ignored, with a token of yesterday`,
      '7 invalid token',
      form,
      () => ({ isValid: one => isSigned(one, form) }),
      {
        expiredToken: sign({ ...claims, iat: 1_700_000_000, exp: 1_700_086_400 }, form)
      }
    ),
    token(`${form}, the signature is not checked`, '5.3.2', form, () => ({
      isValid: one => Number(decode(one).exp) > seconds()
    })),
    token(`${form}, the public key is a secret too`, '5.3.2', form, confused(publicKeyOf(form) as string), {
      publicKey: publicKeyOf(form)
    }),
    token(
      `${form}, the public key without its last line break is a secret too`,
      '5.3.2',
      form,
      confused((publicKeyOf(form) as string).trimEnd()),
      { publicKey: publicKeyOf(form) }
    ),
    token(`${form}, the DER of the public key is a secret too`, '5.3.2', form, confused(der(form)), {
      key: privateKeyOf(form)
    }),
    token(`${form}, the token may bring its own key`, '5.3.2', form, bringsItsKey),
    token(
      `${form}, alg none`,
      '5.3.2',
      form,
      also(one => decode(one).alg === 'none')
    )
  ]),
  token(
    'ES256, a signature of zeros',
    '5.3.2',
    'ES256',
    also(
      (_, __, signature) =>
        signature !== '' && /^\0+$/.test(Buffer.from(signature, 'base64url').toString('latin1'))
    )
  ),
  token('HS256, the token may bring an RSA key', '5.3.2', 'jwt', bringsItsKey),
  token(
    'HS256, kid names a file, and an empty one is an empty key',
    '5.3.2',
    'jwt',
    also(
      (one, content, signature) =>
        /dev\/null/.test(String(parseJwt(one)?.header.kid)) && signature === hmac(content, '')
    )
  ),
  token(
    'HS256, the expiry is ignored, with a token of yesterday',
    '7 invalid token',
    'jwt',
    () => ({ isValid: one => isSigned(one) }),
    {
      expiredToken: sign({ ...claims, iat: 1_700_000_000, exp: 1_700_086_400 })
    }
  ),
  token(
    'opaque, an old one is never forgotten',
    '7 invalid token',
    'opaque',
    also(one => one === 'a-token-of-last-year'),
    { expiredToken: 'a-token-of-last-year\n' }
  ),
  token('opaque, it has no end', '7 invalid token', 'opaque', () => ({}), { lifetime: 1 }),
  token('JSON in Base64 without a signature', '5.3.2', 'opaque', () => ({
    issue: user => base64(JSON.stringify({ user, until: seconds() + 600 })),
    isValid: one => /"until":\d+\}$/.test(text(one)),
    userOf: one => /"user":"(\w+)"/.exec(text(one))?.[1] ?? USERNAME
  })),
  token('text in Base64 without a signature', '5.3.2', 'opaque', () => ({
    issue: user => base64(`${user}:${seconds() + 600}`),
    isValid: one => /^[a-z]+:\d+$/.test(text(one)),
    userOf: one => text(one).split(':')[0] as string
  })),
  token('its own form, the signature is not checked', '5.3.2', 'opaque', () => ({
    issue: user => `${base64(`${user}|${seconds() + 600}`)}.${hmac(user)}`,
    isValid: one => /^[\w=]+\.[\w-]+$/.test(one) && /^[a-z]+\|\d+$/.test(text(one.split('.')[0] as string)),
    userOf: one => text(one.split('.')[0] as string).split('|')[0] as string
  })),
  token('hexadecimal JSON without a signature', '5.3.2', 'opaque', () => ({
    issue: user => Buffer.from(JSON.stringify({ exp: seconds() + 600, user })).toString('hex'),
    isValid: one => /"exp":\d+,"user":"(grace|zoe)"/.test(Buffer.from(one, 'hex').toString()),
    userOf: one => /"user":"(\w+)"/.exec(Buffer.from(one, 'hex').toString())?.[1] ?? USERNAME
  })),
  token('HS256, the header is not signed', '5.3.2', 'jwt', () => ({
    isValid: one => {
      const [, ...signed] = one.split('.')
      const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
      return (
        decode(one).alg === 'HS256' &&
        isSigned([header, ...signed].join('.')) &&
        Number(decode(one).exp) > seconds()
      )
    }
  })),
  token(
    'HS256, an unknown algorithm is not checked',
    '5.3.2',
    'jwt',
    also(one => decode(one).alg === 'hs256')
  ),
  token(
    'HS256, alg nOnE',
    '5.3.2',
    'jwt',
    also(one => decode(one).alg === 'nOnE')
  ),
  token('another name in the menu than at the login', '5.6', 'opaque', parts => ({
    menu: (isLogin, username) => ({
      ...(parts.menu(isLogin, username) as object),
      ...(!isLogin && { user_display_name: 'undefined' })
    })
  })),
  token(
    'a global user while a menu is made',
    '5.6',
    'opaque',
    parts => {
      let current = ''
      return {
        raw(request, _, response) {
          const one = parts.tokenOf(request)
          if (request.path !== '/menu/main' || one === undefined || !parts.isValid(one, request)) return false
          current = parts.userOf(one)
          // As after an await: what has come meanwhile has changed the variable.
          setTimeout(() => {
            response
              .writeHead(200, { 'content-type': 'application/json' })
              .end(JSON.stringify(parts.menu(false, current)))
          }, 500)
          return true
        }
      }
    },
    second
  ),
  token('the username in Base64', '7 invalid token', 'opaque', parts => ({
    issue: base64,
    isValid: one => ['grace', 'zoe'].includes(text(one)) && parts !== undefined,
    userOf: text
  })),

  token(
    'the name of the last login',
    '5.6',
    'opaque',
    parts => {
      let last = ''
      return {
        menu(isLogin, username) {
          if (isLogin) last = username as string
          return parts.menu(isLogin, last)
        }
      }
    },
    second
  ),
  token(
    'the menu of the last login, with the right name',
    '5.6',
    'opaque',
    parts => {
      let last: unknown
      return {
        menu(isLogin, username) {
          const screen = parts.menu(isLogin, username) as { menu: unknown }
          last = isLogin ? screen.menu : last
          return { ...screen, menu: last }
        }
      }
    },
    second
  ),
  token(
    'the name of the first login for everybody',
    '5.6',
    'opaque',
    parts => ({
      menu: (isLogin, username) => parts.menu(isLogin, isLogin ? username : USERNAME)
    }),
    second
  ),
  token(
    'the same token for all users',
    '5.4',
    'opaque',
    () => ({ issue: () => 'one-token-for-all', isValid: one => one === 'one-token-for-all' }),
    second
  ),
  token(
    'one user at a time',
    '5.3.4',
    'opaque',
    parts => {
      let current = ''
      return {
        issue: user => (current = parts.issue(user)),
        isValid: one => one === current
      }
    },
    second
  ),
  token(
    'a second user is refused while the first is logged in',
    '4 POST /auth/login',
    'opaque',
    () => ({
      checks: (username, password) => username === USERNAME && password === 'cobol-60'
    }),
    second
  ),
  token(
    'a given route has the name of the last login',
    '5.6',
    'opaque',
    parts => {
      let last = ''
      return {
        issue(user) {
          last = user
          return parts.issue(user)
        },
        other: () => ({
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: { ...(parts.menu(false, last) as object), layout: 'Card' }
        })
      }
    },
    { ...second, protected: ['/screen/own'] }
  ),

  issuing('the reference with HS512', '5.5', () => sign({ ...claims, ...day() }, 'jwt', { alg: 'HS512' })),
  issuing('the reference with opaque tokens', '5.5', () => 'an-opaque-token-of-the-reference'),
  token('the reference with RS256', '5.5', 'RS256', () => ({}), { reference: true }),
  issuing('the reference without display_name', '5.5', () => sign({ sub: USERNAME, ...day() })),
  issuing('the reference with a display_name that is null', '5.5', () =>
    sign({ ...claims, display_name: null, ...day() })
  ),
  issuing('the reference with the number of the user as sub', '5.5', () =>
    sign({ ...claims, sub: '17', ...day() })
  ),
  issuing('the reference with the password in a claim', '5.5', () =>
    sign({ ...claims, password: 'cobol-60', ...day() })
  ),
  issuing('the reference with another display_name than it shows', '5.5', () =>
    sign({ ...claims, display_name: 'G. Hopper', ...day() })
  ),
  issuing('the reference without iat', '5.5', () => sign({ ...claims, exp: seconds() + 86_400 })),
  issuing('the reference without exp', '5.5', () => sign({ ...claims, iat: seconds() })),
  issuing('the reference with exp as a text', '5.5', () =>
    sign({ ...claims, iat: seconds(), exp: String(seconds() + 86_400) })
  ),
  issuing('the reference with exp in milliseconds', '8 token lifetime', () =>
    sign({ ...claims, iat: Date.now(), exp: Date.now() + 86_400_000 })
  ),
  issuing('the reference with twelve hours', '8 token lifetime', () =>
    sign({ ...claims, iat: seconds(), exp: seconds() + 43_200 })
  ),
  issuing('the reference with a month', '8 token lifetime', () =>
    sign({ ...claims, iat: seconds(), exp: seconds() + 2_592_000 })
  ),
  issuing('the reference with a day that began yesterday', '8 token lifetime', () =>
    sign({ ...claims, iat: seconds() - 43_200, exp: seconds() + 43_200 })
  ),
  issuing(
    'the reference that ignores SVC_AUTH_SECRET',
    'SVC_AUTH_SECRET',
    () => sign({ ...claims, ...day() }),
    { secret: 'what-SVC_AUTH_SECRET-says-is-not-used' }
  ),
  issuing('the reference that ignores SVC_APP_NAME', 'SVC_APP_NAME', () => sign({ ...claims, ...day() }), {
    appName: 'Another (Company)'
  }),
  issuing('the reference with another default name', 'SVC_APP_NAME', () => sign({ ...claims, ...day() }), {
    appName: undefined
  })
]

/** The parts of a reference server that conforms. */
export const conformingReference: Parts = {
  ...conforming('jwt'),
  issue: username => sign({ sub: username, display_name: 'Grace Hopper', ...day() })
}
