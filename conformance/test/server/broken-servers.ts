import type { CheckServerOptions } from '../../index.ts'
import { brokenLogins } from './broken-logins.ts'
import { brokenTokens } from './broken-tokens.ts'
import {
  conforming,
  decode,
  type Form,
  hmac,
  isSigned,
  json,
  PASSWORD,
  type Parts,
  USERNAME
} from './minimal-server.ts'
import { openDoors } from './open-doors.ts'

/** A server that breaks one clause in one way. */
export interface BrokenServer {
  name: string
  /** The clause that it breaks. */
  clause: string
  form: Form
  prefix?: string
  /** What the kit is given besides the credentials and the secret. */
  options?: CheckServerOptions
  break(parts: Parts): Partial<Parts>
}

// biome-ignore lint/suspicious/noExplicitAny: a broken response may have any type
type Any = any

const form = (
  name: string,
  clause: string,
  change: object | ((body: Any) => unknown),
  prefix = ''
): BrokenServer => ({
  name: `the form: ${name}`,
  clause,
  form: 'opaque',
  prefix,
  break: parts => ({
    form(request) {
      const response = parts.form(request)
      const body = response.body as object
      return { ...response, body: typeof change === 'function' ? change(body) : { ...body, ...change } }
    }
  })
})

const section = (name: string, clause: string, change: (section: Any) => object): BrokenServer =>
  form(name, clause, ({ sections: [one], ...body }) => ({ ...body, sections: [{ ...one, ...change(one) }] }))

const field = (name: string, clause: string, id: string, change: object): BrokenServer =>
  section(`${id} ${name}`, clause, ({ fields }) => ({
    fields: fields.map((one: Any) => (one.id === id ? { ...one, ...change } : one))
  }))

const accepted = (name: string, clause: string, change: object): BrokenServer => ({
  name: `a success: ${name}`,
  clause,
  form: 'opaque',
  break: parts => ({
    accept(token, screen) {
      const response = parts.accept(token, screen)
      return { ...response, body: { ...(response.body as object), ...change } }
    }
  })
})

const rejected = (name: string, clause: string, change: object): BrokenServer => ({
  name: `a rejection: ${name}`,
  clause,
  form: 'opaque',
  break: parts => ({
    reject(fields) {
      const response = parts.reject(fields)
      return { ...response, body: { ...(response.body as object), ...change } }
    }
  })
})

const menu = (
  name: string,
  clause: string,
  change: object,
  where: 'login' | 'later' | 'both' = 'login'
): BrokenServer => ({
  name: `the menu: ${name}`,
  clause,
  form: 'opaque',
  break: parts => ({
    menu: isLogin =>
      where === 'both' || (where === 'login') === isLogin
        ? { ...(parts.menu(isLogin) as object), ...change }
        : parts.menu(isLogin)
  })
})

const guard = (
  name: string,
  clause: string,
  change: (parts: Parts) => Partial<Parts>,
  kind: Form = 'opaque',
  prefix = ''
): BrokenServer => ({ name: `the guard: ${name}`, clause, form: kind, prefix, break: change })

const isOpen = (parts: Parts, test: (request: Any) => boolean): Partial<Parts> => ({
  tokenOf: request => (test(request) ? 'open' : parts.tokenOf(request)),
  isValid: (token, request) => token === 'open' || parts.isValid(token, request)
})

const refusing = (change: () => Any): Partial<Parts> => ({ missing: change, invalid: change })

const token = (
  name: string,
  change: (parts: Parts) => Partial<Parts>,
  kind: Form = 'opaque',
  clause = '5.3.2'
): BrokenServer => ({
  name: `the token: ${name}`,
  clause,
  form: kind,
  break: change
})

const open = (name: string, clause: string, change: (parts: Parts) => Partial<Parts>): BrokenServer => ({
  name: `without a login: ${name}`,
  clause,
  form: 'no-auth',
  break: change
})

const gone = undefined

/** Every broken server, and the clause that the kit must name. */
export const brokenServers: BrokenServer[] = [
  form('layout Form', '2.6.1', { layout: 'Form' }),
  form('no layout', '2.3 layout', { layout: gone }),
  form('no title', '2.6.2', { title: gone }),
  form('title null', '2.6.2', { title: null }),
  form('no auth_action', '2.6.3', { auth_action: gone }),
  form('auth_action /login', '2.6.3', { auth_action: '/login' }),
  form('auth_action without the prefix', '2.6.3', { auth_action: '/auth/login' }, '/app'),
  form('auth_action with the prefix twice', '2.6.3', { auth_action: '/app/app/auth/login' }, '/app'),
  form('save_action in place of auth_action', '2.3 auth_action', ({ auth_action, ...body }) => ({
    ...body,
    save_action: auth_action
  })),
  form('two sections', '2.6.4', ({ sections, ...body }) => ({
    ...body,
    sections: [...sections, { id: 'more', label: 'More', fields: [] }]
  })),
  form('no sections', '2.3 sections', { sections: gone }),
  form('sections as a map', '2.3 sections', ({ sections: [login], ...body }) => ({
    ...body,
    sections: { login }
  })),
  section('section id auth', '2.4 id', () => ({ id: 'auth' })),
  section('section without a label', '2.4 label', () => ({ label: gone })),
  section('section label null', '2.4 label', () => ({ label: null })),
  section('one field only', '2.4 fields', ({ fields }) => ({ fields: fields.slice(1) })),
  section('a third field', '2.4 fields', ({ fields }) => ({
    fields: [...fields, { ...fields[0], id: 'otp' }]
  })),
  form('in an envelope', '2.6.1', body => ({ screen: body })),
  form('as HTML', '1', () => '<form action="/auth/login"></form>'),
  field('called user', '2.5 id', 'username', { id: 'user' }),
  field('of type text', '2.5 type', 'username', { type: 'text' }),
  field('of type Text', '2.5 type', 'password', { type: 'Text' }),
  field('without a label', '2.5 label', 'username', { label: gone }),
  field('prefilled', '2.5 value', 'username', { value: 'guest' }),
  field('with value null', '2.5 value', 'password', { value: null }),

  accepted('no success', '2.2 success', { success: gone }),
  accepted('success "true"', '2.2 success', { success: 'true' }),
  accepted('no token', '2.2 token', { token: gone }),
  accepted('token null', '2.2 token', { token: null }),
  accepted('token as an object', '2.2 token', { token: { value: 'x' } }),
  accepted('no error', '2.2 error', { error: gone }),
  accepted('error ""', '2.2 error', { error: '' }),
  accepted('no screen', '2.2 screen', { screen: gone }),
  accepted('screen as an address', '2.2 screen', { screen: '/menu/main' }),
  accepted('token with a line break', '5.1', { token: 'two\nlines' }),
  {
    name: 'a success: status 401',
    clause: '4 POST /auth/login',
    form: 'opaque',
    break: parts => ({ accept: (...args) => ({ ...parts.accept(...args), status: 401 }) })
  },
  {
    name: 'the login: fields beside one another, without the map',
    clause: '2.1 fields',
    form: 'opaque',
    break: () => ({
      readFields({ body }) {
        try {
          return Object(JSON.parse(body))
        } catch {
          return {}
        }
      }
    })
  },
  rejected('no success', '2.2 success', { success: gone }),
  rejected('success null', '2.2 success', { success: null }),
  rejected('no token', '2.2 token', { token: gone }),
  rejected('token ""', '2.2 token', { token: '' }),
  rejected('no error', '2.2 error', { error: gone }),
  rejected('error null', '2.2 error', { error: null }),
  rejected('error as an object', '2.2 error', { error: { text: 'wrong' } }),
  rejected('no screen', '2.2 screen', { screen: gone }),
  rejected('the form again as screen', '2.2 screen', { screen: { layout: 'Card' } }),
  {
    name: 'a rejection: plain text',
    clause: '7 rejected credentials',
    form: 'opaque',
    break: () => ({ reject: () => ({ status: 403, body: 'no' }) })
  },
  {
    name: 'a rejection: an unknown user is a crash',
    clause: '7 rejected credentials',
    form: 'opaque',
    break: parts => ({
      reject: fields =>
        fields.username === USERNAME ? parts.reject(fields) : { status: 500, body: 'null pointer' }
    })
  },
  {
    name: 'the credentials: any password',
    clause: '7 rejected credentials',
    form: 'opaque',
    break: () => ({ checks: username => username === USERNAME })
  },
  {
    name: 'the credentials: any user',
    clause: '7 rejected credentials',
    form: 'opaque',
    break: () => ({ checks: (_, password) => password === PASSWORD })
  },
  {
    name: 'the credentials: an empty password',
    clause: '7 rejected credentials',
    form: 'opaque',
    break: parts => ({ checks: (username, password) => password === '' || parts.checks(username, password) })
  },
  {
    name: 'the credentials: a missing password',
    clause: '7 rejected credentials',
    form: 'opaque',
    break: parts => ({
      checks: (username, password) =>
        password === undefined && username !== undefined ? true : parts.checks(username, password)
    })
  },
  {
    name: 'the credentials: nothing at all',
    clause: '4 rule 5',
    form: 'opaque',
    break: parts => ({
      checks: (username, password) =>
        (username === undefined && password === undefined) || parts.checks(username, password)
    })
  },
  {
    name: 'the credentials: the beginning of the password is enough',
    clause: '7 rejected credentials',
    form: 'opaque',
    break: () => ({
      checks: (username, password) => username === USERNAME && String(password).startsWith(PASSWORD)
    })
  },

  menu('layout Card', '2.3 layout', { layout: 'Card' }),
  menu('no menu', '2.3 menu', { menu: gone }),
  menu('menu as a list', '2.3 menu', { menu: [] }),
  menu('title as a number', '2.3 title', { title: 7 }),
  menu('no display name at the login', '5.6', { user_display_name: gone }),
  menu('no display name later', '5.6', { user_display_name: gone }, 'later'),
  menu('display name null', '2.3 user_display_name', { user_display_name: null }, 'both'),
  menu('is the login form', '5.3.4', { layout: 'Card', auth_action: '/auth/login' }, 'later'),
  {
    name: 'the menu: no JSON',
    clause: '1',
    form: 'opaque',
    break: parts => ({ menu: isLogin => (isLogin ? parts.menu(true) : '<h1>Menu</h1>') })
  },

  guard('403 in place of 401', '4 rule 1', () => refusing(() => ({ status: 403 }))),
  guard('a redirect to the login', '4 rule 1', () =>
    refusing(() => ({ status: 302, headers: { location: '/auth/login' } }))
  ),
  guard('the login form in place of 401', '4 rule 1', parts => refusing(() => parts.form({} as Any))),
  guard('200 with an error', '7 missing token', () => refusing(() => json(200, { error: 'unauthorized' }))),
  guard('401 without a token, 403 with a wrong one', '7 invalid token', () => ({
    invalid: () => ({ status: 403 })
  })),
  guard(
    '500 for a token that is no JWT',
    '7 invalid token',
    () => ({ invalid: one => ({ status: one.split('.').length === 3 ? 401 : 500 }) }),
    'jwt'
  ),
  guard('400 for an empty header', '5.3.3', () => ({
    missing: ({ headers }) => ({ status: headers.authorization === undefined ? 401 : 400 })
  })),
  guard('no guard at all', '4 all other routes', parts => isOpen(parts, () => true)),
  guard('HEAD is open', '4 all other routes', parts => isOpen(parts, ({ method }) => method === 'HEAD')),
  guard('OPTIONS is open', '4 all other routes', parts =>
    isOpen(parts, ({ method }) => method === 'OPTIONS')
  ),
  guard('POST is open', '4 all other routes', parts => isOpen(parts, ({ method }) => method === 'POST')),
  guard('DELETE is open', '4 all other routes', parts => isOpen(parts, ({ method }) => method === 'DELETE')),
  guard('unknown routes are 404 without a token', '4 all other routes', parts =>
    isOpen(parts, ({ path }) => path !== '/menu/main')
  ),
  guard('the root is open', '4 all other routes', parts => isOpen(parts, ({ path }) => path === '/')),
  guard('static files are open', '4 all other routes', parts =>
    isOpen(parts, ({ path }) => /\.(css|js|ico)$/.test(path))
  ),
  guard('all methods of /auth/login are public', '5.2', parts =>
    isOpen(parts, ({ path }) => path === '/auth/login')
  ),
  guard('what begins with /auth/login is public', '5.2', parts =>
    isOpen(parts, ({ path }) => path.startsWith('/auth/login'))
  ),
  guard('what ends with /login is public', '5.2', parts =>
    isOpen(parts, ({ path }) => path.endsWith('/login'))
  ),
  guard('what has /auth/login in its query is public', '5.2', parts =>
    isOpen(parts, ({ query }) => query.includes('/auth/login'))
  ),
  guard('the path is normalised after the check', '5.2', parts => ({
    isPublic: request => parts.isPublic(request),
    tokenOf: request => (request.path.startsWith('/auth/login/') ? 'open' : parts.tokenOf(request)),
    isValid: (one, request) => one === 'open' || parts.isValid(one, request),
    other: request =>
      new URL(request.path, 'http://x').pathname === '/menu/main'
        ? json(200, parts.menu(false))
        : parts.other(request)
  })),
  guard('a Referer of the login opens', '5.2', parts =>
    isOpen(parts, ({ headers }) => headers.referer?.endsWith('/auth/login'))
  ),
  guard('401 for a browser is a redirect', '7 missing token', parts => ({
    missing: request =>
      request.headers.accept?.includes('html')
        ? { status: 302, headers: { location: '/' } }
        : parts.missing(request)
  })),
  guard('the form needs a token', '4 GET /auth/login', parts => ({
    isPublic: request => request.method === 'POST' && parts.isPublic(request)
  })),
  guard('a stale token on the form is 401', '5.2', parts => ({
    form: request => (request.headers.authorization === undefined ? parts.form(request) : { status: 401 })
  })),
  guard('who is logged in gets no form', '4 GET /auth/login', parts => ({
    form: request => {
      const one = parts.tokenOf(request)
      return one !== undefined && parts.isValid(one, request)
        ? { status: 302, headers: { location: '/menu/main' } }
        : parts.form(request)
    }
  })),
  guard(
    'under a prefix, only the prefix is guarded with it twice',
    '4 all other routes',
    parts => isOpen(parts, ({ path }) => !path.startsWith('/app/menu')),
    'opaque',
    '/app'
  ),

  token(
    'in the query',
    parts => ({
      tokenOf: request => new URLSearchParams(request.query).get('access_token') ?? parts.tokenOf(request)
    }),
    'opaque',
    '5.1'
  ),
  token(
    'in a cookie',
    parts => ({
      tokenOf: request => /\btoken=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? parts.tokenOf(request)
    }),
    'opaque',
    '5.1'
  ),
  token(
    'in X-Auth-Token',
    parts => ({ tokenOf: request => (request.headers['x-auth-token'] as string) ?? parts.tokenOf(request) }),
    'opaque',
    '5.1'
  ),
  token(
    'in a body',
    parts => ({
      tokenOf: request => new URLSearchParams(request.body).get('access_token') ?? parts.tokenOf(request)
    }),
    'opaque',
    '5.1'
  ),
  token(
    'without a scheme',
    () => ({ tokenOf: ({ headers }) => headers.authorization?.replace(/^Bearer /, '') || undefined }),
    'opaque',
    '5.1'
  ),
  token(
    'with any scheme',
    () => ({ tokenOf: ({ headers }) => /^\w+ (.+)$/.exec(headers.authorization ?? '')?.[1] }),
    'opaque',
    '5.1'
  ),
  token(
    'glued to the scheme',
    () => ({ tokenOf: ({ headers }) => /^Bearer ?(.+)$/.exec(headers.authorization ?? '')?.[1] }),
    'opaque',
    '5.1'
  ),
  token(
    'as the last word',
    () => ({ tokenOf: ({ headers }) => headers.authorization?.split(' ').slice(1).at(-1) }),
    'opaque',
    '5.1'
  ),
  token(
    'a cookie of the login is enough',
    parts => ({
      accept: (one, screen) => ({
        ...parts.accept(one, screen),
        headers: { 'set-cookie': 'sid=1; HttpOnly' }
      }),
      ...isOpen(parts, ({ headers }) => headers.cookie?.includes('sid=1'))
    }),
    'opaque',
    '5.1'
  ),
  token(
    'the credentials as Basic',
    parts =>
      isOpen(parts, ({ headers }) => headers.authorization === `Basic ${btoa(`${USERNAME}:${PASSWORD}`)}`),
    'opaque',
    '5.1'
  ),
  token('any is valid', () => ({ isValid: () => true }), 'opaque', '7 invalid token'),
  token(
    'any of three parts is valid',
    () => ({ isValid: one => one.split('.').length === 3 }),
    'jwt',
    '5.3.2'
  ),
  token('its beginning is enough', () => {
    const issued: string[] = []
    return {
      issue: () => issued[issued.push(`${Math.random()}0123456789abcdefghijklmnopqrstuvwxyz`) - 1] as string,
      isValid: one => issued.some(other => other.startsWith(one))
    }
  }),
  token('what follows it is not looked at', parts => {
    const issued: string[] = []
    return {
      issue: name => issued[issued.push(parts.issue(name)) - 1] as string,
      isValid: one => issued.some(other => one.startsWith(other))
    }
  }),
  token('its case does not matter', parts => {
    const issued = new Set<string>()
    return {
      issue(name) {
        const one = parts.issue(name)
        issued.add(one.toLowerCase())
        return one
      },
      isValid: one => issued.has(one.toLowerCase())
    }
  }),
  token(
    'valid once',
    parts => {
      const used = new Set<string>()
      return {
        isValid: (one, request) => parts.isValid(one, request) && !used.has(one) && used.add(one) !== gone
      }
    },
    'opaque',
    '5.4'
  ),
  token('never valid', () => ({ isValid: () => false }), 'opaque', '5.3.4'),
  token('401 also on unknown routes', () => ({ other: () => ({ status: 401 }) }), 'opaque', '5.3.4'),
  token(
    'the signature is not checked',
    () => ({ isValid: one => Number(decode(one).exp) > Date.now() / 1000 }),
    'jwt'
  ),
  token(
    'alg none',
    parts => ({ isValid: (one, request) => parts.isValid(one, request) || decode(one).alg === 'none' }),
    'jwt'
  ),
  token(
    'alg None',
    parts => ({
      isValid: (one, request) =>
        parts.isValid(one, request) || (/^none$/i.test(String(decode(one).alg)) && decode(one).alg !== 'none')
    }),
    'jwt'
  ),
  token(
    'a missing signature is no wrong one',
    parts => ({
      isValid: (one, request) =>
        parts.isValid(one, request) || (one.split('.').length === 2 && decode(one).alg !== gone)
    }),
    'jwt'
  ),
  token(
    'an empty signature is no wrong one',
    parts => ({
      isValid: (one, request) =>
        parts.isValid(one, request) ||
        (one.endsWith('.') && decode(one).alg === 'HS256' && one.split('.')[1] !== 'e30')
    }),
    'jwt'
  ),
  token(
    'signed with an empty key',
    parts => ({
      isValid(one, request) {
        const [header, claims, signature] = one.split('.')
        return parts.isValid(one, request) || signature === hmac(`${header}.${claims}`, '')
      }
    }),
    'jwt'
  ),
  token(
    'only part of the signature is compared',
    () => ({
      isValid(one) {
        const [header, claims, signature = ''] = one.split('.')
        return hmac(`${header}.${claims}`).startsWith(signature.slice(0, 6)) && signature !== ''
      }
    }),
    'jwt'
  ),
  token('the expiry is ignored', () => ({ isValid: one => isSigned(one) }), 'jwt'),
  token(
    'valid for a month after its expiry',
    () => ({ isValid: one => isSigned(one) && Number(decode(one).exp) > Date.now() / 1000 - 2_600_000 }),
    'jwt'
  ),
  token(
    'the expiry is checked on the menu only',
    parts => ({
      isValid: (one, request) => (request.path === '/menu/main' ? parts.isValid(one, request) : isSigned(one))
    }),
    'jwt'
  ),
  open('unknown routes are 401', '5.7', () => ({ other: () => ({ status: 401 }) })),
  open('a stale token is 401', '5.7', () => ({
    other: ({ headers }) => ({ status: headers.authorization === gone ? 404 : 401 })
  })),
  open('POST is 401', '5.7', () => ({ other: ({ method }) => ({ status: method === 'POST' ? 401 : 404 }) })),
  open('the login form is 401', '5.7', () => ({
    other: ({ path }) => ({ status: path === '/auth/login' ? 401 : 404 })
  })),
  open('the menu is a login form', '5.7', parts => ({ menu: () => parts.form({} as Any).body })),
  open('unknown routes show the login form', '5.7', parts => ({ other: parts.form })),
  open('the menu is no JSON', '1', () => ({ menu: () => 'Menu' })),
  open('HEAD is 401', '5.7', () => ({ other: ({ method }) => ({ status: method === 'HEAD' ? 401 : 404 }) })),
  open('OPTIONS of the login is 401', '5.7', () => ({
    other: ({ method, path }) => ({ status: method === 'OPTIONS' && path === '/auth/login' ? 401 : 404 })
  })),
  open('the menu is a redirect to a login', '5.7', () => ({
    raw({ path }, _, response) {
      if (path !== '/menu/main') return false
      response.writeHead(302, { location: '/auth/login' }).end()
      return true
    }
  })),
  ...openDoors,
  ...brokenLogins,
  ...brokenTokens
]

/** Returns the parts of a broken server; the others are those of one that conforms. */
export function partsOf({ form: kind, prefix = '', break: change }: BrokenServer): Parts {
  const parts = conforming(kind, prefix)
  return { ...parts, ...change(parts) }
}
