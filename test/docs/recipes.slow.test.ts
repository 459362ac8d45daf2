// The recipes that need no other server: each one starts, logs in, and shows its good and its bad case.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import jwt from '@fastify/jwt'
import { createClient } from '@libsql/client'
import Fastify from 'fastify'
import { TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import type { Store } from '../../lib/index.ts'
import { until } from '../helpers.ts'
import { testStore } from '../lib/stores/contract.ts'
import { readPage } from './page.ts'
import { recipe, sourceOf, startCode, temporaryFolder } from './program.ts'
import { BLOCKED, each, gets, login, REJECTED, type Row, type Step, times, unavailable, Visitor } from './table.ts'

const NEW = 'battery staple'
const MENU = { layout: 'Menu' }

const folder = t.testdir()
const [SESSIONS, USERS] = [`file:${folder}/sessions.db`, `file:${folder}/users.db`] as const

/** Returns a step that changes a database. */
const sql =
  (url: string, statement: string): Step =>
  async () => {
    const db = createClient({ url, timeout: 5000 })
    await db.execute(statement)
    db.close()
  }

/** Returns a step that takes a row while another program writes to a database, and writes to it later. */
const locked =
  (url: string, row: Row): Step =>
  async ({ take }) => {
    const db = createClient({ url, timeout: 5000 })
    const lock = await db.transaction('write')
    await take(row)
    await lock.rollback()
    await db.execute('VACUUM')
    db.close()
  }

const OLD_JWT_SECRET = 'the secret of the old tokens, which is long'
const SVC_AUTH_SECRET = 'the secret of the new tokens, which is new'
const app = Fastify()
await app.register(jwt, { secret: OLD_JWT_SECRET })
const { jwt: old } = app
const signOld = (claims: object) => old.sign(claims, { expiresIn: '1m' })
/** Headers of a browser that has an old cookie, on a page of this server, or of another site. */
const browser = (cookie: string, site = 'same-origin') => ({ headers: { cookie, 'sec-fetch-site': site } })
const OLD_COOKIE = `token=${signOld({ id: 7 })}`
const OTHER_SITES = ['cross-site', 'same-site', 'none']
const INVALID = [
  old.sign({ id: 7, exp: 1_700_000_000 }),
  old.sign({ id: 7 }),
  signOld({ id: 7 }).replace(/\.[^.]*$/, '.'),
  signOld({ id: 7, purpose: 'reset' }),
  signOld({ id: 8 }),
  signOld({ sub: 'ada', display_name: 'Ada Lovelace' }),
  old.sign({ id: 7 }, { key: SVC_AUTH_SECRET, expiresIn: '1m' }),
  'garbage'
]

const [NORTH, SOUTH] = [{ host: 'north.example.com' }, { host: 'south.example.com' }]
const NORTH_SECRET = 'the secret of the north has 32 bytes and more'
const SOUTH_SECRET = 'the secret of the south has 32 bytes and more'
const ALLOWED = 'access-control-allow-origin'
const CORS = { [ALLOWED]: 'https://app.example.com' }
const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }

const totp = new TOTP({ secret: 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U' })
/** Returns the code of the current half minute, or of one before or after it. */
const codeOf = (periods = 0) => totp.generate({ timestamp: Date.now() + periods * totp.period * 1000 })
const CODE_CARD = { layout: 'Card', title: 'Enter the code', user_display_name: 'Ada Lovelace' }
const enter = (as: string, code: unknown, status: string | RegExp): Row => [
  'POST /screen/code',
  { as, json: { changes: { code } } },
  200,
  { status }
]

/** Returns a row of a request that saves a Card. */
const save = (line: string, changes: unknown, status: number, body?: unknown): Row => [
  line,
  { as: 'ada', json: { screen_id: null, changes, lines: [] } },
  status,
  body
]
const saveProfile = (...rest: [changes: unknown, status: number, body?: unknown]) =>
  save('POST /screen/profile', ...rest)
const change = (...rest: [changes: unknown, status: number, body?: unknown]) => save('POST /screen/password', ...rest)
const RIGHT = { current_password: 'correct horse', new_password: NEW, repeat_password: NEW }
const FORCED = { layout: 'Card', status: /^Please choose/, user_display_name: 'Ada Lovelace' }
const ITEM = { action: { type: 'open_screen' } }

const ENVIRONMENTS: Record<string, Record<string, string>> = {
  'from-fastify-jwt.js': { OLD_JWT_SECRET, SVC_AUTH_SECRET },
  'my-sessions.js': { SESSIONS_DATABASE_URL: SESSIONS },
  'remember-me.js': { SESSION_SECONDS: '1' },
  'tenants.js': { NORTH_SECRET, SOUTH_SECRET },
  'user-table.js': { USERS_DATABASE_URL: USERS, FIRST_PASSWORD: 'correct horse' }
}

const TABLE: Record<string, Step[]> = {
  'autoload/app.js: loaded routes need a token, a 401 has the headers of helmet, and the login has no prefix': [
    ['GET /screen/profile', {}, 401, '', { 'x-frame-options': 'SAMEORIGIN' }],
    ['GET /screen/profile', { as: 'ada' }, 200, { title: 'Ada Lovelace' }],
    ['GET /menu/main', { as: 'ada' }, 200, MENU],
    ...gets('/screen/menu/main /screen/auth/login /profile', { as: 'ada' }, 404)
  ],
  'from-fastify-jwt.js: old and new tokens open the same screen, and no other token does': [
    ['GET /screen/profile', {}, 401],
    ['GET /screen/profile', { token: signOld({ id: 7 }) }, 200, { title: 'ada' }],
    ['GET /screen/profile', { as: 'ada' }, 200, { title: 'ada' }],
    async ({ t, tokenOf }) => {
      const [, payload = ''] = (await tokenOf('ada')).split('.')
      t.match(JSON.parse(atob(payload)), { sub: 'ada', display_name: 'Ada Lovelace' })
    },
    ...each(INVALID, token => ['GET /screen/profile', { token }, 401, '', { 'www-authenticate': /invalid_token/ }])
  ],
  'from-fastify-jwt.js: an old cookie is valid for pages of this server, until a login form or a new token': [
    ['GET /screen/profile', browser(OLD_COOKIE), 200, { title: 'ada' }],
    ['GET /screen/profile', { headers: { cookie: OLD_COOKIE } }, 401],
    ...each(OTHER_SITES, site => ['GET /screen/profile', browser(OLD_COOKIE, site), 401]),
    ...each(['', 'a%20b%0A', ...INVALID], token => ['GET /screen/profile', browser(`token=${token}`), 401]),
    ['GET /screen/profile', { token: 'garbage', ...browser(OLD_COOKIE) }, 401],
    ['GET /screen/profile', { as: 'ada', ...browser('token=garbage') }, 200],
    ['GET /auth/login', browser(OLD_COOKIE), 200, {}, { 'set-cookie': [/^token=; Max-Age=0; Path=\//] }],
    ['GET /auth/login', browser(OLD_COOKIE, 'cross-site'), 200, {}, { 'set-cookie': undefined }],
    ['POST /auth/login', { fields: {}, ...browser('token=garbage') }, 200, { success: true }]
  ],
  'plugins-in-order.js: a 401 has the headers of the other plugins, and their own routes are public': [
    ...gets('/screen/profile /unknown', { headers: { origin: 'https://app.example.com' } }, 401, '', CORS),
    ['OPTIONS /screen/profile', { headers: { origin: 'https://app.example.com', ...asked } }, 204, '', CORS],
    ['GET /screen/profile', { headers: { origin: 'https://evil.example' } }, 401, '', { [ALLOWED]: undefined }],
    ['GET /healthz', {}, 200, 'ok'],
    ['GET /documentation/json', {}, 200, { paths: { '/auth/login': {}, '/menu/main': {}, '/screen/profile': {} } }],
    ['GET /documentation', {}, 200],
    ['GET /screen/profile', { as: 'ada' }, 200, { title: 'ada' }],
    ...gets('/documentation-of-others /healthz/other', {}, 401),
    ['GET /unknown', { eventually: true }, 429],
    login({}, { success: false, token: null, error: 'The login request was refused.', screen: null }, 429)
  ],
  'remember-me.js: a remembered session outlasts the other sessions': [
    ['GET /auth/login', {}, 200, { sections: [{ fields: [{}, {}, { id: 'remember', type: 'Boolean' }] }] }],
    ['POST /auth/login', { fields: { remember: 'true' }, keep: 'long' }, 200],
    ['POST /auth/login', { fields: { remember: 'false' }, keep: 'short' }, 200],
    ...each(['short', 'ada'], as => ['GET /menu/main', { as, eventually: true }, 401]),
    ['GET /menu/main', { as: 'long' }, 200, MENU]
  ],
  'second-factor.js: every screen is the Card for the code until a valid code is entered': [
    ...gets('/menu/main /screen/code /unknown /menu/main?code=1', { as: 'ada' }, 200, CODE_CARD),
    ['POST /menu/main', { as: 'ada', json: {} }, 403],
    ['POST /screen/code', { json: { changes: { code: codeOf() } } }, 401],
    ...each([null, [], {}, { changes: { code: {} } }], json => ['POST /screen/code', { as: 'ada', json }, 400]),
    ...each(['correct horse', '', 'ääääää', undefined], code => enter('ada', code, /^Error: /)),
    ({ take }) => take(login({ password: codeOf() }, REJECTED), login({ password: 'wrong', code: codeOf() }, REJECTED)),
    ({ take }) => take(enter('ada', codeOf(), 'Welcome.')),
    ['GET /menu/main', { as: 'ada' }, 200, { title: 'Main Menu' }],
    // Clients send the old token with a new login.
    ['POST /auth/login', { as: 'ada', fields: {} }, 200, { screen: CODE_CARD }]
  ],
  'second-factor.js: a code is accepted once, and older codes are rejected after it': [
    async ({ t, send, take, tokenOf }) => {
      const [older, code, newer] = [codeOf(-1), codeOf(), codeOf(1)]
      const sessions = ['ada 1', 'ada 2', 'ada 3']
      for (const as of sessions) await tokenOf(as)
      const sent = sessions.map(as => send('POST /screen/code', { as, json: { changes: { code } } }))
      const statuses = (await Promise.all(sent)).map(({ body }) => body.status)
      t.equal(statuses.filter(status => status === 'Welcome.').length, 1)
      for (const used of [code, older]) await take(enter('ada 4', used, 'Error: The code is wrong.'))
      await take(enter('ada 4', newer, 'Welcome.'))
    }
  ],
  'second-factor.js: further logins and addresses allow no further guesses of the code': [
    async ({ t, send }) => {
      const enterFrom = async (from: string, code: string) => {
        const { body } = await send('POST /auth/login', { from, fields: {} })
        const json = { changes: { code } }
        return (await send('POST /screen/code', { from, token: body.token, json })).body.status
      }
      // A code of yesterday stays wrong while the test runs.
      for (let i = 0; i < 10; i++)
        t.equal(await enterFrom(`127.0.1.${i % 2}`, codeOf(-2880)), 'Error: The code is wrong.')
      t.equal(await enterFrom('127.0.1.2', codeOf()), 'Error: Too many codes. Try again in an hour.')
    }
  ],
  'tenants.js: each tenant has its own login, users and tokens': [
    ['GET /auth/login', { headers: SOUTH }, 200, { title: 'South Company' }],
    ['POST /auth/login', { headers: NORTH, fields: {}, keep: 'north' }, 200, { success: true }],
    ['POST /auth/login', { headers: SOUTH, fields: { password: NEW }, keep: 'south' }, 200, { success: true }],
    ['POST /auth/login', { headers: NORTH, fields: { password: NEW } }, 200, REJECTED],
    ['GET /screen/profile', { headers: NORTH, as: 'north' }, 200, { user_display_name: 'Ada of the North' }],
    ...gets('/screen/profile /menu/main', { headers: SOUTH, as: 'south' }, 200),
    ...gets('/screen/profile /menu/main /unknown', { headers: SOUTH, as: 'north' }, 401),
    ...gets('/screen/profile /menu/main /unknown', { headers: SOUTH }, 401),
    ['GET /unknown', { headers: SOUTH, as: 'south' }, 404],
    ['PUT /menu/main', { headers: SOUTH }, 401],
    ...each(['North.Example.com', 'north.example.com:3000'], host => ['HEAD /auth/login', { headers: { host } }, 200]),
    ...each(['east.example.com', 'xnorth.example.com'], host => ['GET /menu/main', { headers: { host } }, 421])
  ],
  'my-sessions.js: users see their own sessions without ids, and end all but one': [
    ...each(['ada', 'bob'], as => ['GET /menu/main', { as }, 200]),
    ['POST /auth/login', { fields: {}, headers: { 'user-agent': `\u009bX${'y'.repeat(99)}` }, keep: 'ada 2' }, 200],
    [
      'GET /screen/sessions',
      { as: 'ada' },
      200,
      { lines: { rows: [{ values: [/^\?+Xy{50,60}$/, '127.0.0.1'] }, {}] } }
    ],
    async ({ t, send }) => {
      const { rows } = (await send('GET /screen/sessions', { as: 'ada' })).body.lines
      t.strictSame([rows[0].values.at(-1), rows[1].values.at(-1), rows.length], ['', 'Yes', 2])
      t.notMatch(JSON.stringify(rows), /[a-xzA-Z0-9_-]{43}/)
    },
    ['POST /screen/sessions/others', { as: 'ada', json: { action_id: 'others' } }, 200, { success: true }],
    async ({ t, send }) => t.equal((await send('GET /screen/sessions', { as: 'ada' })).body.lines.rows.length, 1),
    ['GET /menu/main', { as: 'ada 2' }, 401],
    ['GET /menu/main', { as: 'bob' }, 200],
    // Logins succeed while the table cannot be written.
    sql(SESSIONS, 'ALTER TABLE sessions RENAME TO away'),
    login({}, { success: true })
  ],
  'user-table.js: every screen is the password Card until an assigned password is changed': [
    () => t.equal(statSync(new URL(USERS)).mode & 0o77, 0, 'only its owner can read the table'),
    ...each(['Ada', "' OR 1 = 1 --"], username => login({ username, password: 'wrong' }, REJECTED)),
    ['POST /auth/login', { fields: { username: ' ADA' }, keep: 'ada' }, 200, { success: true, screen: FORCED }],
    ...gets('/menu/main /screen/users /screen/password /unknown', { as: 'ada' }, 200, FORCED),
    ...each(['POST /screen/users', 'HEAD /menu/main'], line => [line, { as: 'ada' }, 403]),
    ...each(['short', 'x'.repeat(9999), `${NEW}\0`, `${NEW}\ud800`], new_password =>
      change({ ...RIGHT, new_password, repeat_password: new_password }, 200, { status: /Use 12 characters/ })
    ),
    change({}, 200, { status: /Use 12 characters/ }),
    change({ ...RIGHT, repeat_password: undefined }, 200, { status: /are not the same/ }),
    change({ ...RIGHT, current_password: NEW }, 200, { status: /is the password you have/ }),
    change({ ...RIGHT, current_password: undefined }, 200, { status: /^Error: Please enter/ }),
    change({ ...RIGHT, current_password: 'wrong' }, 200, { status: /^Error: The password is wrong/ }),
    locked(USERS, change(RIGHT, 503)),
    ['POST /auth/login', { fields: {}, keep: 'ada' }, 200, { screen: FORCED }],
    ...each([undefined, null, [], 'x', { new_password: {} }], changes => change(changes, 400)),
    ['GET /menu/main', { as: 'ada 2' }, 200, FORCED],
    change(RIGHT, 200, { layout: 'Menu', status: 'Your password was changed.' }),
    ...each(['ada', 'ada 2'], as => ['GET /menu/main', { as }, 401]),
    login({}, REJECTED),
    ['POST /auth/login', { fields: { password: NEW }, keep: 'new' }, 200, { screen: MENU }],
    ['GET /screen/users', {}, 401],
    ['GET /screen/users', { as: 'new' }, 200, { lines: { rows: [{ values: ['Ada', 'Ada Lovelace', 'admin'] }] } }],
    ['GET /screen/password', { as: 'new' }, 200, { layout: 'Card', title: 'Password' }],
    ['GET /menu/main', { as: 'new' }, 200, { menu: { tabs: [{ items: [ITEM, ITEM] }] } }],
    sql(USERS, "UPDATE users SET role = 'user'"),
    ['GET /screen/users', { as: 'new' }, 403],
    ['GET /menu/main', { as: 'new' }, 200, { menu: { tabs: [{ items: [ITEM] }] } }],
    // A database that fails ends no session and locks nobody out, and the removal of a user does.
    sql(USERS, 'ALTER TABLE users RENAME TO away'),
    ['GET /screen/password', { as: 'new' }, 503],
    ...times(12, unavailable()),
    sql(USERS, 'ALTER TABLE away RENAME TO users'),
    ['GET /screen/password', { as: 'new' }, 200],
    login({ password: NEW }, { success: true }),
    sql(USERS, 'DELETE FROM users'),
    ...gets('/menu/main /screen/password', { as: 'new' }, 401, '', { 'www-authenticate': /invalid_token/ })
  ],
  'zod-screens.js: screens have the name of the user, and values are validated': [
    ['POST /auth/login', { fields: { username: ['ada'] } }, 400, { success: false, token: null, screen: null }],
    ['GET /menu/main', { as: 'ada' }, 200, { layout: 'Menu', user_display_name: 'Ada Lovelace' }],
    ['GET /screen/profile', {}, 401, ''],
    ['GET /screen/profile', { as: 'ada' }, 200, { title: 'Profile', user_display_name: 'Ada Lovelace' }],
    saveProfile({ email: 'ada' }, 200, {
      status: 'Error: This is no email address.',
      user_display_name: 'Ada Lovelace'
    }),
    saveProfile({ phone: 'x' }, 200, { status: 'Error: A phone number has digits only.' }),
    saveProfile({ email: 'new@example.com' }, 200, { status: 'Saved.' }),
    ...each([undefined, null, [], 'x', { email: null }], changes => saveProfile(changes, 400))
  ]
}

for (const [name, steps] of Object.entries(TABLE))
  t.test(name, async t => {
    const [file = ''] = name.split(':')
    await Visitor.visit(t, recipe(t, file, ENVIRONMENTS[file]), ...steps)
  })

t.test('tenants.js: tenants on two paths have separate logins, tokens and unknown paths', async t => {
  const code = sourceOf('tenants.js')
    .replace(/scope\.addHook[\s\S]*?\}\)\n/, '')
    .replace('register(tenant)', "register(tenant, { prefix: '/' + host.split('.')[0] })")
    .replace("scope.all('/*', ", 'scope.setNotFoundHandler(')
  await Visitor.visit(
    t,
    startCode(t, code, ENVIRONMENTS['tenants.js']),
    ['POST /north/auth/login', { fields: {}, keep: 'north' }, 200, { success: true }],
    ['POST /south/auth/login', { fields: {} }, 200, REJECTED],
    ['GET /north/unknown', { as: 'north' }, 404],
    ...gets('/south/menu/main /south/unknown', { as: 'north' }, 401),
    ...gets('/north/menu/main /north/screen/profile', { as: 'north' }, 200)
  )
})

t.test('from-fastify-jwt.js: the login form removes an old cookie below a prefix, too', async t => {
  const code = sourceOf('from-fastify-jwt.js').replace('  tokens: {', "  prefix: '/app',\n$&")
  const program = startCode(t, code, ENVIRONMENTS['from-fastify-jwt.js'])
  const removed = { 'set-cookie': [/^token=; /] }
  await Visitor.visit(t, program, ['GET /app/auth/login', browser(OLD_COOKIE), 200, {}, removed])
})

t.test('coming-from.md: a page of this server exchanges an old session for a token, once', async t => {
  const [program, exchange] = ['README.md', 'docs/coming-from.md'].map(page => `${readPage(page).samples[0]?.code}`)
  const findUser = "const findUser = async id => [{ username: 'ada', displayName: 'Ada' }][id] ?? null"
  const oldLogin = "scope.get('/old/:id', { config: { screenAuth: false } }, async ({ params, session }) => {\n"
  const code = `${program}`
    .replace('await app.listen', `${findUser}\n${exchange}\n$&`)
    .replace('saveUninitialized: false', '$&, cookie: { secure: false }')
    .replace(/ +scope\.post/, `${oldLogin} session.userId = Number(params.id)\n})\n$&`)
  const env = { OLD_SESSION_SECRET: OLD_JWT_SECRET, SVC_AUTH_SECRET }
  const { send, take } = await Visitor.visit(t, startCode(t, code, env))
  const logins = await Promise.all([0, 1].map(id => send(`GET /old/${id}`)))
  const [session = '', ofFormerUser = ''] = logins.map(({ headers }) => `${headers['set-cookie']}`.replace(/;.*/, ''))
  await take(
    ['GET /menu/main', browser(session), 401],
    ['POST /auth/exchange', { headers: { cookie: session } }, 403, ''],
    ...each(OTHER_SITES, site => ['POST /auth/exchange', browser(session, site), 403, '', { 'set-cookie': undefined }]),
    ...each(['a=b', 'sessionId=garbage', ofFormerUser], cookie => ['POST /auth/exchange', browser(cookie), 401, '']),
    ['POST /auth/exchange', { ...browser(session), keep: 'ada' }, 200, {}, { 'cache-control': 'no-store' }],
    ['GET /menu/main', { as: 'ada' }, 200, { user_display_name: 'Ada' }],
    ['POST /auth/exchange', browser(session), 401, '']
  )
})

/** Recipes whose query of a user only stands for one, and the headers of a login. */
const QUERIES: Record<string, Record<string, string>> = {
  'from-fastify-jwt.js': {},
  'second-factor.js': {},
  'tenants.js': NORTH
}

for (const [name, headers] of Object.entries(QUERIES))
  t.test(`${name}: logins get a 503 and are no failures while the user store is down`, async t => {
    const code = sourceOf(name)
    const failing = code.replace(/users\.(?=find|get)/, '(failures-- > 0 ? null : users).')
    const server = startCode(t, `let failures = 12\n${failing}`, ENVIRONMENTS[name])
    const accepted: Row = ['POST /auth/login', { fields: {}, headers }, 200, { success: true }]
    await Visitor.visit(t, server, ...times(12, unavailable('ada', headers)), accepted)
  })

/** Settings that would open a hole, and what the recipe says instead of starting. */
const REFUSALS: [name: string, env: Record<string, string>, output: RegExp][] = [
  ['from-fastify-jwt.js', { OLD_JWT_SECRET, SVC_AUTH_SECRET: OLD_JWT_SECRET }, /must be a new secret/],
  ['tenants.js', { NORTH_SECRET, SOUTH_SECRET: NORTH_SECRET }, /two different secrets/]
]

for (const [name, env, output] of REFUSALS)
  t.test(`${name}: does not start with settings that would open a hole`, async t => {
    const server = recipe(t, name, env)
    t.equal(await server.end(), 1)
    t.match(server.output, output)
  })

t.test('zod-screens.js: an invalid screen is not sent', async t => {
  const code = sourceOf('zod-screens.js')
  const server = startCode(t, code.replace("layout: 'Card', title: 'Profile',", "layout: 'Card',"))
  await Visitor.visit(t, server, ['GET /screen/profile', { as: 'ada' }, 500])
})

/** Returns the store of sqlite-store.js, without its server. */
async function open(t: Test): Promise<[Store, (ms: number) => unknown]> {
  const folder = temporaryFolder(t)
  const file = join(folder, 'store.js')
  writeFileSync(file, sourceOf('sqlite-store.js').replace(/^const app = [\s\S]*/m, 'export { db, store }\n'))
  process.env.SESSIONS_DATABASE_URL = `file:${join(folder, 'sessions.db')}`
  const { db, store } = await import(file)
  t.teardown(() => db.close())
  return [store, sleep]
}

testStore(t, 'sqlite-store.js', open)

t.test('sqlite-store.js: servers share one file, which a restart and a lock do not spoil', async t => {
  const path = join(t.testdir(), 'sessions.db')
  const start = (env = {}) => recipe(t, 'sqlite-store.js', { SESSIONS_DATABASE_URL: `file:${path}`, ...env })
  const servers = [start(), start()] as const
  const [one, two] = [await Visitor.visit(t, servers[0]), await Visitor.visit(t, servers[1])]
  await one.take(...each(['ada', 'ada 2'], as => ['GET /menu/main', { as }, 200]))
  const [token, ended] = [await one.tokenOf('ada'), await one.tokenOf('ada 2')]
  await one.take(['POST /auth/logout', { token: ended }, 204])
  await two.take(['GET /menu/main', { token }, 200], ['GET /menu/main', { token: ended }, 401])
  const guess = { fields: { username: 'eve', password: 'wrong' } }
  const guesses = [one, two].flatMap(({ send }) => Array.from({ length: 20 }, () => send('POST /auth/login', guess)))
  const blocked = (await Promise.all(guesses)).filter(({ headers }) => headers['retry-after'] !== undefined)
  t.equal(blocked.length, 30, 'forty guesses at once get ten checks')
  for (const file of [path, `${path}-wal`]) {
    t.equal(statSync(file).mode & 0o77, 0, 'only its owner can open the file')
    t.notOk(readFileSync(file, 'latin1').includes(token))
  }
  for (const server of servers) await server.stop('SIGKILL')
  const { take } = await Visitor.visit(
    t,
    start({ CLEAN_SECONDS: '0.05' }),
    ['GET /menu/main', { token }, 200],
    ['GET /menu/main', { token: ended }, 401],
    login({ username: 'eve' }, BLOCKED)
  )
  const db = createClient({ url: `file:${path}`, timeout: 5000 })
  t.teardown(() => db.close())
  const lock = await db.transaction('write')
  await take(['GET /menu/main', { token }, 200], unavailable())
  await lock.rollback()
  await take(
    ['POST /auth/login', { fields: {}, keep: 'ada', eventually: true }, 200],
    ['GET /menu/main', { as: 'ada' }, 200]
  )
  await db.execute('UPDATE entries SET ends = 1')
  await until(async () => (await db.execute('SELECT * FROM entries WHERE ends = 1')).rows.length === 0)
})
