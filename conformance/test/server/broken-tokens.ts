// Servers that read a token from a wrong place or accept a wrong one, mix up two users, or break the reference.
import { createSecretKey, verify } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckServerOptions } from '../../index.ts'
import { parseJwt } from '../../server/jwt.ts'
import { base64, broken, change, opens, readingToken, setsCookie } from './broken.ts'
import {
  type Any,
  type Break,
  beforeGuard,
  decode,
  hmac,
  type Incoming,
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

const acceptingToken =
  (test: (token: string, request: Incoming) => unknown): Break =>
  parts => ({ isValid: (token, request) => parts.isValid(token, request) || Boolean(test(token, request)) })

const rejecting =
  (test: (request: Incoming) => boolean): Break =>
  parts => ({ isValid: (token, request) => parts.isValid(token, request) && !test(request) })

/** Validates tokens against the list of issued tokens, in the order of issue. */
const comparingToIssued =
  (isValid: (token: string, issued: string[]) => boolean): Break =>
  parts => {
    const issued: string[] = []
    return {
      issue(username) {
        const token = parts.issue(username)
        issued.push(token)
        return token
      },
      isValid: token => isValid(token, issued)
    }
  }

/** Sends parts of the screen of the last login, whoever it was. */
const mixingUp =
  (mix: (own: object, last: Any) => object): Break =>
  parts => {
    let last: string | undefined
    return {
      menu(isLogin, username) {
        if (isLogin) last = username
        return mix(parts.menu(isLogin, username) as object, parts.menu(isLogin, last))
      }
    }
  }

const hasEnded = (token: string) => Number(decode(token).exp) <= seconds()
const OLD = 'a-token-of-last-year'
const text = (coded = '') => Buffer.from(coded, 'base64').toString()
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

const acceptingOwnKey = acceptingSignature((content, signature, token) => {
  const { jwk } = parseJwt(token)?.header ?? {}
  const key = { key: jwk as never, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
  return jwk && verify('sha256', Buffer.from(content), key, Buffer.from(signature, 'base64url'))
})

const claims = { sub: USERNAME, display_name: 'Grace Hopper' }
const day = () => ({ iat: seconds(), exp: seconds() + 86_400 })
const yesterday = { ...claims, iat: 1_700_000_000, exp: 1_700_086_400 }
const reference = { reference: true, secret: SECRET, appName: 'Willkommen' }

/** A reference server that issues other tokens, or tokens with other claims, to its only user. */
const issuing =
  (issue: () => string): Break =>
  parts => ({
    ...comparingToIssued((token, issued) => issued.includes(token))({ ...parts, issue }),
    userOf: () => USERNAME
  })
const claiming = (others: () => object) => issuing(() => sign({ ...claims, ...day(), ...others() }))

/** A correct reference server. The kit gets other options, so that the secret or the app name looks wrong. */
const referenceWith = (options: CheckServerOptions, row: string) =>
  broken(change, { form: 'jwt', options: { ...reference, ...options } })({ [row]: {} })

const keyPairs = (['RS256', 'ES256'] as const).flatMap(form => {
  const key = privateKeyOf(form) as string
  const publicKey = publicKeyOf(form) as string
  const der = Buffer.from(publicKey.replace(/-----.*?-----|\s/g, ''), 'base64')
  const signed = { isValid: (token: string) => isSigned(token, form) }
  return [
    ...broken(change, { form })({
      [`jwt-other-key: ${form}, the signature is not checked`]: { isValid: token => !hasEnded(token) },
      [`jwt-own-key: ${form}, the token may contain its own key`]: acceptingOwnKey
    }),
    ...broken(change, { form, options: { key } })({
      [`jwt-expired: ${form}, the expiry is ignored`]: signed,
      [`jwt-key-confusion: ${form}, the DER of the public key is accepted as a secret`]: confused(der)
    }),
    ...broken(confused, { form, options: { publicKey } })({
      [`jwt-key-confusion: ${form}, the public key is accepted as a secret`]: publicKey,
      [`jwt-key-confusion: ${form}, the public key without its last line break is a secret`]: publicKey.trimEnd()
    }),
    ...broken(change, { form, options: { expiredToken: sign(yesterday, form) } })({
      [`expired-token: ${form}, the expiry is ignored, with a token of yesterday`]: signed
    })
  ]
})

export const brokenTokens = [
  ...broken(readingToken)({
    'token-elsewhere: in the query': ({ query }) => new URLSearchParams(query).get('access_token'),
    'token-elsewhere: in a cookie': ({ headers }) => /\btoken=([^;]+)/.exec(headers.cookie ?? '')?.[1],
    'token-elsewhere: in X-Auth-Token': ({ headers }) => headers['x-auth-token'],
    'token-elsewhere: in a body': ({ body }) => new URLSearchParams(body).get('access_token'),
    'token-with-other-scheme: without a scheme': ({ headers }) => headers.authorization?.replace(/^Bearer /, ''),
    'token-with-other-scheme: with any scheme': ({ headers }) => /^\w+ (.+)$/.exec(headers.authorization ?? '')?.[1],
    'token-with-other-scheme: without a space after the scheme': ({ headers }) =>
      /^Bearer ?(.+)$/.exec(headers.authorization ?? '')?.[1],
    'token-as-last-word: as the last word': ({ headers }) => headers.authorization?.split(' ').slice(1).at(-1),
    'words-around-token: words after it are ignored': ({ headers }) =>
      /^Bearer (\S+)/.exec(headers.authorization ?? '')?.[1]
  }),
  ...broken(change)({
    'cookie-of-login: a cookie of the login is enough': parts => ({
      ...setsCookie(parts),
      ...opens(({ headers }) => headers.cookie?.includes('sid=1'))(parts)
    }),
    'token-with-other-scheme: the credentials as Basic': opens(
      ({ headers }) => headers.authorization === `Basic ${base64(`${USERNAME}:${PASSWORD}`)}`
    ),
    'invalid-token invalid-odd-token non-ascii-token: any token is valid': { isValid: () => true },
    'token-admits-again: refused every 20th time': parts => {
      let count = 0
      return rejecting(() => ++count % 20 === 0)(parts)
    },
    'connection-keeps-token: refused at the second request of a connection': parts => {
      const known = new WeakSet()
      return rejecting(({ connection }) => known.has(connection) || !known.add(connection))(parts)
    },
    'long-token: a long token is valid': acceptingToken(token => token.length > 5000),
    'unknown-with-token: unknown routes are 401': { other: () => ({ status: 401 }) },
    'changed-token token-with-symbol: JSON in Base64 without a signature': {
      issue: user => base64(JSON.stringify({ user, until: seconds() + 600 })),
      isValid: token => /"until":\d+\}$/.test(text(token)),
      userOf: token => /"user":"(\w+)"/.exec(text(token))?.[1] ?? USERNAME
    },
    'header-name-case: only a header with the name Authorization is read': {
      raw: (_, { rawHeaders }, outgoing) =>
        rawHeaders.some(name => name !== 'Authorization' && name.toLowerCase() === 'authorization') &&
        outgoing.writeHead(401).end().writableEnded
    },
    'scheme-case: the scheme in capitals or small letters is not accepted': parts => ({
      tokenOf: request => (request.headers.authorization?.startsWith('Bearer') ? parts.tokenOf(request) : undefined)
    }),
    'invalid-token: the username in Base64': {
      issue: base64,
      isValid: token => ['grace', 'zoe'].includes(text(token)),
      userOf: text
    }
  }),
  ...broken(comparingToIssued)({
    'shortened-token: its beginning is accepted': (token, all) => all.some(one => one.startsWith(token)),
    'changed-token lengthened-token: text after its end is ignored': (token, all) =>
      all.some(one => token.startsWith(one)),
    'token-in-other-case: its case is ignored': (token, all) =>
      all.some(one => token.toLowerCase() === one.toLowerCase()),
    'every-login-admits: only the token of the first login': (token, [first]) => token === first
  }),
  ...broken(rejecting)({
    'token-admits: never valid': () => true,
    'token-admits-whatever-else: refused with a query': ({ query }) => query !== '',
    'token-admits-whatever-else: refused from another origin': ({ headers }) =>
      headers.origin === 'http://client.example',
    'unknown-with-token: refused with PATCH': ({ method }) => method === 'PATCH'
  }),
  ...broken(change, { form: 'jwt' })({
    'odd-token-no-server-error: 500 for a token that is not a JWT': {
      invalid: token => ({ status: token.split('.').length === 3 ? 401 : 500 })
    },
    'jwt-changed-signature jwt-other-algorithm: the signature is not checked': { isValid: token => !hasEnded(token) },
    'jwt-weak-key: the secret is the word secret': confused('secret'),
    'jwt-critical-header jwt-not-yet-valid jwt-without-expiry: only the signature and a number in exp are checked': {
      isValid: token => isSigned(token) && !hasEnded(token)
    },
    'jwt-expired: the expiry is ignored': { isValid: token => isSigned(token) },
    'jwt-own-key: the token may contain an RSA key': acceptingOwnKey,
    'jwt-other-claims: only the signature is compared': comparingToIssued((token, issued) =>
      issued.some(one => one.split('.')[2] === token.split('.')[2])
    ),
    'form-with-stale-token login-with-stale-token login-with-expired-token: the login refuses an invalid token':
      beforeGuard((request, parts) => {
        const token = parts.tokenOf(request)
        return token !== undefined && !parts.isValid(token, request) && { status: 401 }
      })
  }),
  ...broken(acceptingToken, { form: 'jwt' })({
    'jwt-alg-none: alg none': token => decode(token).alg === 'none',
    'jwt-alg-none: alg nOnE': token => decode(token).alg === 'nOnE',
    'jwt-changed-signature: an unknown algorithm is not checked': token => decode(token).alg === 'hs256',
    'jwt-unsigned: a missing signature is accepted': token => token.split('.').length === 2 && 'alg' in decode(token),
    'jwt-unsigned: an empty signature is accepted': token => token.endsWith('.') && decode(token).alg === 'HS256',
    'jwt-other-key: kid names a file without a key': token => /dev\/null/.test(String(decode(token).kid)),
    'jwt-expired-on-unknown: the expiry is checked on the menu only': (token, { path }) =>
      path !== '/menu/main' && isSigned(token)
  }),
  ...broken(acceptingSignature, { form: 'jwt' })({
    'jwt-other-key: signed with an empty key': (content, signature) => signature === hmac(content, '')
  }),

  ...keyPairs,
  ...broken(change, { form: 'ES256' })({
    'jwt-changed-signature: ES256, a signature of zeros': acceptingSignature(
      (_, signature) => signature !== '' && Buffer.from(signature, 'base64url').every(byte => byte === 0)
    )
  }),
  ...broken(acceptingToken, { options: { expiredToken: `${OLD}\n` } })({
    'expired-token: opaque, an old token stays valid': token => token === OLD
  }),
  ...broken(change, { options: { lifetime: 1 } })({ 'lifetime-is-over: opaque, a token never expires': {} }),

  ...broken(change, { options: second })({
    'second-display-name-at-once: a global user while a menu is made': parts => {
      let current = ''
      return {
        userOf(token) {
          current = parts.userOf(token)
          return current
        },
        // A concurrent request may change `current` before the menu is made.
        menu: (...given) => (given[0] ? parts.menu(...given) : sleep(500).then(() => parts.menu(false, current)))
      }
    },
    'second-display-name: the name of the last login': mixingUp((_, last) => last),
    'second-menu: the menu of the last login, with the right name': mixingUp((own, { menu }) => ({ ...own, menu })),
    'second-display-name-later: every user has the name of the first user': parts => ({
      menu: (isLogin, username) => parts.menu(isLogin, isLogin ? username : USERNAME)
    }),
    'second-token: the same token for all users': {
      issue: () => 'one-token-for-all',
      isValid: token => token === 'one-token-for-all'
    },
    'second-leaves-first: one user at a time': comparingToIssued((token, issued) => token === issued.at(-1)),
    'second-token-admits: the token of the second user is never valid': parts => ({
      isValid: (token, request) => parts.isValid(token, request) && parts.userOf(token) === USERNAME
    }),
    'second-login: a second user is refused while the first is logged in': parts => {
      let isBusy = false
      return {
        checks(username, password) {
          isBusy ||= username === USERNAME
          return !(isBusy && username !== USERNAME) && parts.checks(username, password)
        }
      }
    }
  }),
  ...broken(change, { options: { ...second, protected: ['/screen/own'] } })({
    'protected-display-name protected-second-display-name: a given route has the name of the last login': parts => {
      const { menu } = mixingUp((_, last) => last)(parts) as Parts
      return { menu, other: () => json(200, { ...(menu(false) as object), layout: 'Card' }) }
    }
  }),

  ...broken(acceptingToken, { form: 'jwt', options: { protected: ['/screen/own'] } })({
    'protected-with-forged-token: the given route accepts alg none': (token, { path }) =>
      path === '/screen/own' && decode(token).alg === 'none',
    'protected-with-expired-jwt: the given route accepts an expired token': (token, { path }) =>
      path === '/screen/own' && isSigned(token)
  }),
  ...broken(change, { options: { protected: ['/screen/own'], expiredToken: OLD } })({
    'protected-with-expired-token: the given route accepts an old token': acceptingToken(
      (token, { path }) => path === '/screen/own' && token === OLD
    ),
    'protected-with-token: a token is never valid on the given route': rejecting(({ path }) => path === '/screen/own')
  }),

  ...broken(issuing, { form: 'jwt', options: reference })({
    'reference-jwt: opaque tokens': () => 'an-opaque-token-of-the-reference'
  }),
  ...broken(claiming, { form: 'jwt', options: reference })({
    'reference-claims: no display_name': () => ({ display_name: undefined }),
    'reference-claims: a user number as sub': () => ({ sub: '17' }),
    'reference-claims: the password in a claim': () => ({ password: PASSWORD }),
    'reference-claims reference-lifetime: no iat': () => ({ iat: undefined }),
    'reference-claims reference-lifetime: no exp': () => ({ exp: undefined }),
    'reference-display-name: another display_name than on the screen': () => ({ display_name: 'G. Hopper' }),
    'reference-lifetime jwt-exp-in-seconds: milliseconds': () => ({ iat: Date.now(), exp: Date.now() + 86_400_000 }),
    'reference-lifetime: twelve hours': () => ({ exp: seconds() + 43_200 }),
    'reference-lifetime: a day that began yesterday': () => ({ iat: seconds() - 43_200, exp: seconds() + 43_200 })
  }),
  ...referenceWith({ secret: 'what-SVC_AUTH_SECRET-says-is-not-used' }, 'reference-secret: SVC_AUTH_SECRET is ignored'),
  ...referenceWith({ appName: 'Another (Company)' }, 'reference-app-name: SVC_APP_NAME is ignored'),
  ...referenceWith({ appName: undefined }, 'reference-app-name: another default name')
]
