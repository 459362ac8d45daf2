// Servers that read a token from a wrong place, accept forged or expired tokens, mix up two users, or break the rules
// for the reference server.
import { createSecretKey, verify } from 'node:crypto'
import type { CheckServerOptions } from '../../index.ts'
import { parseJwt } from '../../server/jwt.ts'
import {
  acceptingToken,
  broken,
  change,
  comparingToIssued,
  menu,
  opens,
  readingToken,
  rejecting,
  setsCookie
} from './broken-parts.ts'
import {
  conforming,
  decode,
  hmac,
  isSigned,
  json,
  PASSWORD,
  type Parts,
  privateKeyOf,
  publicKeyOf,
  SECRET,
  second,
  seconds,
  sign,
  USERNAME
} from './minimal-server.ts'

const hasEnded = (token: string) => Number(decode(token).exp) <= seconds()
const hasExpired = (token = '') => isSigned(token) && hasEnded(token)
const OLD = 'a-token-of-last-year'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const text = (coded = '') => Buffer.from(coded, 'base64').toString()
const fromHex = (coded: string) => Buffer.from(coded, 'hex').toString()
const algIs = (pattern: RegExp) => acceptingToken(token => pattern.test(String(decode(token).alg)))

/** Also accepts tokens whose content and signature pass the test. */
const acceptingSignature = (test: (content: string, signature: string, token: string) => unknown) =>
  acceptingToken(token => {
    const [header, claims, signature = ''] = token.split('.')
    return test(`${header}.${claims}`, signature, token)
  })

/** Also accepts HS256 tokens signed with the text, like a library that allows any key for any algorithm. */
const confused = (secret: string | Buffer) =>
  acceptingSignature(
    (content, signature, token) =>
      decode(token).alg === 'HS256' && signature === hmac(content, createSecretKey(Buffer.from(secret)) as never)
  )

/** Also accepts tokens that the key in their own header verifies. */
const acceptingOwnKey = acceptingSignature((content, signature, token) => {
  const { jwk } = parseJwt(token)?.header ?? {}
  const key = { key: jwk as never, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
  return jwk && verify('sha256', Buffer.from(content), key, Buffer.from(signature, 'base64url'))
})

const claims = { sub: USERNAME, display_name: 'Grace Hopper' }
const day = () => ({ iat: seconds(), exp: seconds() + 86_400 })
const yesterday = { ...claims, iat: 1_700_000_000, exp: 1_700_086_400 }
const reference = { reference: true, secret: SECRET, appName: 'Willkommen' }

/** A reference server that issues other tokens, or tokens with other claims. */
const issuing = (issue: () => string): Partial<Parts> => ({ issue, isValid: () => true })
const claiming = (others: () => object) => issuing(() => sign({ ...claims, ...day(), ...others() }))

/** A correct reference server. The kit gets other options, so that the secret or the app name looks wrong. */
const referenceWith = (options: CheckServerOptions, row: string) =>
  broken('a token', { form: 'jwt', options: { ...reference, ...options } }, claiming, {
    [row]: () => ({})
  })

const keyPairs = (['RS256', 'ES256'] as const).flatMap(form => {
  const key = privateKeyOf(form) as string
  const publicKey = publicKeyOf(form) as string
  const der = Buffer.from(publicKey.replace(/-----.*?-----|\s/g, ''), 'base64')
  const signed = { isValid: (token: string) => isSigned(token, form) }
  return [
    ...broken('a token', { form }, change, {
      [`5.3.2: ${form}, the signature is not checked`]: { isValid: token => !hasEnded(token) },
      [`5.3.2: ${form}, the token may contain its own key`]: acceptingOwnKey,
      [`5.3.2: ${form}, alg none`]: algIs(/^none$/)
    }),
    ...broken('a token', { form, options: { key } }, change, {
      [`5.3.2: ${form}, the expiry is ignored`]: signed,
      [`5.3.2: ${form}, the DER of the public key is accepted as a secret`]: confused(der)
    }),
    ...broken('a token', { form, options: { publicKey } }, confused, {
      [`5.3.2: ${form}, the public key is accepted as a secret`]: publicKey,
      [`5.3.2: ${form}, the public key without its last line break is accepted as a secret`]: publicKey.trimEnd()
    }),
    ...broken('a token', { form, options: { expiredToken: sign(yesterday, form) } }, change, {
      [`7 invalid token: ${form}, the expiry is ignored, with a token of yesterday`]: signed
    })
  ]
})

export const brokenTokens = [
  ...broken('the token', {}, readingToken, {
    '5.1: in the query': ({ query }) => new URLSearchParams(query).get('access_token'),
    '5.1: in a cookie': ({ headers }) => /\btoken=([^;]+)/.exec(headers.cookie ?? '')?.[1],
    '5.1: in X-Auth-Token': ({ headers }) => headers['x-auth-token'],
    '5.1: in a body': ({ body }) => new URLSearchParams(body).get('access_token'),
    '5.1: without a scheme': ({ headers }) => headers.authorization?.replace(/^Bearer /, ''),
    '5.1: with any scheme': ({ headers }) => /^\w+ (.+)$/.exec(headers.authorization ?? '')?.[1],
    '5.1: without a space after the scheme': ({ headers }) => /^Bearer ?(.+)$/.exec(headers.authorization ?? '')?.[1],
    '5.1: as the last word': ({ headers }) => headers.authorization?.split(' ').slice(1).at(-1)
  }),
  ...broken('the token', {}, change, {
    '5.1: a cookie of the login is enough': parts => ({
      ...setsCookie(parts),
      ...opens(({ headers }) => headers.cookie?.includes('sid=1'))(parts)
    }),
    '5.1: the credentials as Basic': opens(
      ({ headers }) => headers.authorization === `Basic ${base64(`${USERNAME}:${PASSWORD}`)}`
    ),
    '7 invalid token: any token is valid': { isValid: () => true },
    '5.3.2: its beginning is accepted': comparingToIssued((token, issued) =>
      issued.some(other => other.startsWith(token))
    ),
    '5.3.2: text after its end is ignored': comparingToIssued((token, issued) =>
      issued.some(other => token.startsWith(other))
    ),
    '5.3.2: its case is ignored': comparingToIssued((token, issued) =>
      issued.some(other => token.toLowerCase() === other.toLowerCase())
    ),
    '5.4: valid only once': parts => {
      const used = new Set<string>()
      return {
        isValid: (token, request) => parts.isValid(token, request) && !used.has(token) && used.add(token) !== undefined
      }
    },
    '5.4: refused every 20th time': parts => {
      let count = 0
      return rejecting(() => ++count % 20 === 0)(parts)
    },
    '5.3.4: refused at the second request of a connection': parts => {
      const known = new WeakSet()
      return rejecting(({ connection }) => known.has(connection) || !known.add(connection))(parts)
    },
    '7 invalid token: a long token is valid': acceptingToken(token => token.length > 5000),
    '5.3.4: unknown routes are 401': { other: () => ({ status: 401 }) }
  }),
  ...broken('the token', {}, rejecting, {
    '5.3.4: never valid': () => true,
    '5.3.4: refused with a query': ({ query }) => query !== '',
    '5.3.4: refused from another origin': ({ headers }) => headers.origin === 'http://client.example',
    '5.3.4: refused with PATCH': ({ method }) => method === 'PATCH'
  }),
  ...broken('the token', { form: 'jwt' }, change, {
    '5.3.2: any of three parts is valid': { isValid: token => token.split('.').length === 3 },
    '5.3.2: the signature is not checked': { isValid: token => !hasEnded(token) },
    '5.3.2: alg none': algIs(/^none$/),
    '5.3.2: alg None': acceptingToken(token => {
      const { alg } = decode(token)
      return alg !== 'none' && /^none$/i.test(String(alg))
    }),
    '5.3.2: a missing signature is accepted': acceptingToken(
      token => token.split('.').length === 2 && decode(token).alg !== undefined
    ),
    '5.3.2: an empty signature is accepted': acceptingToken(
      token => token.endsWith('.') && decode(token).alg === 'HS256' && token.split('.')[1] !== 'e30'
    ),
    '5.3.2: signed with an empty key': acceptingSignature((content, signature) => signature === hmac(content, '')),
    '5.3.2: only part of the signature is compared': acceptingSignature(
      (content, signature) => signature !== '' && hmac(content).startsWith(signature.slice(0, 6))
    ),
    '5.3.2: the expiry is ignored': { isValid: token => isSigned(token) },
    '5.3.2: valid for a month after its expiry': {
      isValid: token => isSigned(token) && Number(decode(token).exp) > seconds() - 2_600_000
    },
    '5.3.2: the expiry is checked on the menu only': acceptingToken(
      (token, { path }) => path !== '/menu/main' && isSigned(token)
    )
  }),

  ...keyPairs,
  ...broken('a token', { form: 'ES256' }, change, {
    '5.3.2: ES256, a signature of zeros': acceptingSignature(
      (_, signature) => signature !== '' && Buffer.from(signature, 'base64url').every(byte => byte === 0)
    )
  }),
  ...broken('a token', { form: 'jwt' }, change, {
    '5.3.2: HS256, the token may contain an RSA key': acceptingOwnKey,
    '5.3.2: HS256, kid names an empty file, which is read as an empty key': acceptingSignature(
      (content, signature, token) =>
        /dev\/null/.test(String(parseJwt(token)?.header.kid)) && signature === hmac(content, '')
    ),
    '5.3.2: HS256, the header is not signed': {
      isValid: token => {
        const [, ...signed] = token.split('.')
        const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
        return decode(token).alg === 'HS256' && isSigned([header, ...signed].join('.')) && !hasEnded(token)
      }
    },
    '5.3.2: HS256, an unknown algorithm is not checked': algIs(/^hs256$/),
    '5.3.2: HS256, alg nOnE': algIs(/^nOnE$/)
  }),
  ...broken('a token', { form: 'jwt', options: { expiredToken: sign(yesterday) } }, change, {
    '7 invalid token: HS256, the expiry is ignored, with a token of yesterday': {
      isValid: token => isSigned(token)
    }
  }),
  ...broken('a token', { options: { expiredToken: `${OLD}\n` } }, acceptingToken, {
    '7 invalid token: opaque, an old token stays valid': token => token === OLD
  }),
  ...broken('a token', { options: { lifetime: 1 } }, change, {
    '7 invalid token: opaque, a token never expires': {}
  }),
  ...broken('a token', {}, change, {
    '5.3.2: JSON in Base64 without a signature': {
      issue: user => base64(JSON.stringify({ user, until: seconds() + 600 })),
      isValid: token => /"until":\d+\}$/.test(text(token)),
      userOf: token => /"user":"(\w+)"/.exec(text(token))?.[1] ?? USERNAME
    },
    '5.3.2: text in Base64 without a signature': {
      issue: user => base64(`${user}:${seconds() + 600}`),
      isValid: token => /^[a-z]+:\d+$/.test(text(token)),
      userOf: token => text(token).split(':')[0] as string
    },
    '5.3.2: its own form, the signature is not checked': {
      issue: user => `${base64(`${user}|${seconds() + 600}`)}.${hmac(user)}`,
      isValid: token => /^[\w=]+\.[\w-]+$/.test(token) && /^[a-z]+\|\d+$/.test(text(token.split('.')[0])),
      userOf: token => text(token.split('.')[0]).split('|')[0] as string
    },
    '5.3.2: hexadecimal JSON without a signature': {
      issue: user => Buffer.from(JSON.stringify({ exp: seconds() + 600, user })).toString('hex'),
      isValid: token => /"exp":\d+,"user":"(grace|zoe)"/.test(fromHex(token)),
      userOf: token => /"user":"(\w+)"/.exec(fromHex(token))?.[1] ?? USERNAME
    },
    '5.6: another name in the menu than at the login': menu({ later: { user_display_name: 'undefined' } }),
    '7 invalid token: the username in Base64': {
      issue: base64,
      isValid: token => ['grace', 'zoe'].includes(text(token)),
      userOf: text
    }
  }),

  ...broken('a token', { options: second }, change, {
    '5.6: a global user while a menu is made': parts => {
      let current = ''
      return {
        raw(request, _, response) {
          const token = parts.tokenOf(request)
          if (request.path !== '/menu/main' || token === undefined || !parts.isValid(token, request)) return false
          current = parts.userOf(token)
          // Simulates an await: a concurrent request may change `current` before the menu is made.
          setTimeout(() => {
            response.writeHead(200, { 'content-type': 'application/json' })
            response.end(JSON.stringify(parts.menu(false, current)))
          }, 500)
          return true
        }
      }
    },
    '5.6: the name of the last login': parts => {
      let last: string | undefined
      return {
        menu(isLogin, username) {
          if (isLogin) last = username
          return parts.menu(isLogin, last)
        }
      }
    },
    '5.6: the menu of the last login, with the right name': parts => {
      let last: unknown
      return {
        menu(isLogin, username) {
          const screen = parts.menu(isLogin, username) as { menu: unknown }
          last = isLogin ? screen.menu : last
          return { ...screen, menu: last }
        }
      }
    },
    '5.6: every user has the name of the first user': parts => ({
      menu: (isLogin, username) => parts.menu(isLogin, isLogin ? username : USERNAME)
    }),
    '5.4: the same token for all users': {
      issue: () => 'one-token-for-all',
      isValid: token => token === 'one-token-for-all'
    },
    '5.3.4: one user at a time': comparingToIssued((token, issued) => token === issued.at(-1)),
    '5.3.4: the token of the second user is never valid': parts => ({
      isValid: (token, request) => parts.isValid(token, request) && parts.userOf(token) === USERNAME
    }),
    '4 POST /auth/login: a second user is refused while the first is logged in': parts => {
      let isBusy = false
      return {
        checks(username, password) {
          isBusy ||= username === USERNAME
          return !(isBusy && username !== USERNAME) && parts.checks(username, password)
        }
      }
    }
  }),
  ...broken('a token', { options: { ...second, protected: ['/screen/own'] } }, change, {
    '5.6: a given route has the name of the last login': parts => {
      let last = ''
      return {
        issue(user) {
          last = user
          return parts.issue(user)
        },
        other: () => json(200, { ...(parts.menu(false, last) as object), layout: 'Card' })
      }
    }
  }),

  ...broken('a token', { form: 'jwt', options: { protected: ['/screen/own'] } }, acceptingToken, {
    '5.3.2: the given route accepts a forged token': (token, { path }) =>
      path === '/screen/own' && decode(token).alg === 'HS256',
    '5.3.2: the given route accepts an expired token': (token, { path }) => path === '/screen/own' && isSigned(token)
  }),
  ...broken('a token', { options: { protected: ['/screen/own'], expiredToken: OLD } }, change, {
    '7 invalid token: the given route accepts an old token': acceptingToken(
      (token, { path }) => path === '/screen/own' && token === OLD
    ),
    '5.3.4: a token is never valid on the given route': rejecting(({ path }) => path === '/screen/own')
  }),
  ...broken('a token', { form: 'jwt' }, change, {
    '5.2: the login rejects a request with an expired token': parts => ({
      raw({ method, path, headers }, _, response) {
        const isRefused = method === 'POST' && path === '/auth/login' && hasExpired(parts.tokenOf({ headers } as never))
        if (isRefused) response.writeHead(401).end()
        return isRefused
      }
    })
  }),

  ...broken('a token', { form: 'RS256', options: { reference: true } }, change, {
    '5.5: the reference with RS256': {}
  }),
  ...broken('a token', { form: 'jwt', options: reference }, issuing, {
    '5.5: the reference with HS512': () => sign({ ...claims, ...day() }, 'jwt', { alg: 'HS512' }),
    '5.5: the reference with opaque tokens': () => 'an-opaque-token-of-the-reference'
  }),
  ...broken('a token', { form: 'jwt', options: reference }, claiming, {
    '5.5: the reference without display_name': () => ({ display_name: undefined }),
    '5.5: the reference with a display_name that is null': () => ({ display_name: null }),
    '5.5: the reference with a user number as sub': () => ({ sub: '17' }),
    '5.5: the reference with the password in a claim': () => ({ password: PASSWORD }),
    '5.5: the reference with a display_name other than that on the screen': () => ({ display_name: 'G. Hopper' }),
    '5.5: the reference without iat': () => ({ iat: undefined }),
    '5.5: the reference without exp': () => ({ exp: undefined }),
    '5.5: the reference with exp as a text': () => ({ exp: String(day().exp) }),
    '8 token lifetime: the reference with exp in milliseconds': () => ({
      iat: Date.now(),
      exp: Date.now() + 86_400_000
    }),
    '8 token lifetime: the reference with twelve hours': () => ({ exp: seconds() + 43_200 }),
    '8 token lifetime: the reference with a month': () => ({ exp: seconds() + 2_592_000 }),
    '8 token lifetime: the reference with a day that began yesterday': () => ({
      iat: seconds() - 43_200,
      exp: seconds() + 43_200
    })
  }),
  ...referenceWith(
    { secret: 'what-SVC_AUTH_SECRET-says-is-not-used' },
    'SVC_AUTH_SECRET: the reference that ignores SVC_AUTH_SECRET'
  ),
  ...referenceWith({ appName: 'Another (Company)' }, 'SVC_APP_NAME: the reference that ignores SVC_APP_NAME'),
  ...referenceWith({ appName: undefined }, 'SVC_APP_NAME: the reference with another default name')
]

export const conformingReference: Parts = {
  ...conforming('jwt'),
  issue: username => sign({ sub: username, display_name: 'Grace Hopper', ...day() })
}
