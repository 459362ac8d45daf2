// The recipes that ask another server: a directory (ldap.js), a provider (oidc.js) and a database (postgres.js).
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, realpathSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { hash } from '@node-rs/argon2'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { BerReader, BindRequest, ProtocolOperation, SearchRequest } from 'ldapts'
import t, { type Test } from 'tap'
import { FaultyProxy } from '../faulty-proxy.ts'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { freePort } from '../redis-server.ts'
import { recipe, sourceOf, temporaryFolder } from './program.ts'
import { each, login, REJECTED, type Row, type Step, times, unavailable, Visitor } from './table.ts'

/** Of PostgreSQL. Before the first test, because tap ends when it has run the tests that it knows. */
const port = String(await freePort())

/** Makes a server listen on a port, by default a free one. Returns the port. */
async function listen(t: Test, server: Server, port = 0): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

/** A login whose session has the name that the other server gives the user. */
const accepted = (username: string): Step[] => [
  ['POST /auth/login', { fields: { username }, keep: username }, 200, { success: true }],
  ['GET /menu/main', { as: username }, 200, { user_display_name: 'Ada Lovelace' }],
  async ({ t, tokenOf }) => t.match(JSON.parse(atob(`${(await tokenOf(username)).split('.')[1]}`)), { sub: 'ada' })
]

const { LDAP_REQ_BIND, LDAP_REQ_SEARCH, LDAP_RES_BIND, LDAP_RES_SEARCH, LDAP_RES_SEARCH_ENTRY } = ProtocolOperation

const SERVICE = { LDAP_BASE: 'dc=example', LDAP_BIND_DN: 'cn=service', LDAP_BIND_PASSWORD: 'correct horse' }

/** The usernames of each entry, and the result code of a bind with the correct password. */
const ENTRIES: Record<string, { uid: string[]; code?: number }> = {
  'cn=service': { uid: [] },
  'uid=ada': { uid: ['ada'] },
  'uid=bob,ou=1': { uid: ['bob'] },
  'uid=bob,ou=2': { uid: ['bob'] },
  'uid=carol': { uid: ['dave', 'carol'] },
  'uid=locked': { uid: ['locked'], code: 19 },
  'uid=busy': { uid: ['busy'], code: 51 }
}

/** Encodes a BER value of less than 128 bytes. */
function ber(tag: number, ...parts: (string | number | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map(part => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))))
  return Buffer.concat([Buffer.of(tag, content.length), content])
}

const attribute = (type: string, values: string[]) =>
  ber(0x30, ber(0x04, type), ber(0x31, ...values.map(value => ber(0x04, value))))

function* responses(data: Buffer, binds: string[]): Generator<Buffer> {
  const reader = new BerReader(data)
  reader.readSequence()
  const messageId = reader.readInt() as number
  const message = (operation: number, ...parts: Buffer[]) => ber(0x30, ber(0x02, messageId), ber(operation, ...parts))
  const result = (operation: number, code = 0) => message(operation, ber(0x0a, code), ber(0x04), ber(0x04))
  const operation = reader.readSequence()
  if (operation === LDAP_REQ_BIND) {
    const request = new BindRequest({ messageId })
    request.parseMessage(reader)
    binds.push(request.dn)
    yield result(LDAP_RES_BIND, request.password === 'correct horse' ? ENTRIES[request.dn]?.code : 49)
  } else if (operation === LDAP_REQ_SEARCH) {
    const request = new SearchRequest({ messageId } as never)
    request.parseMessage(reader)
    for (const [dn, { uid }] of Object.entries(ENTRIES))
      if (uid.some(uid => request.filter.matches({ uid, objectclass: 'person' }))) {
        const attributes = ber(0x30, attribute('uid', uid), attribute('cn', ['Ada Lovelace', 'Ada']))
        yield message(LDAP_RES_SEARCH_ENTRY, ber(0x04, dn), attributes)
      }
    yield result(LDAP_RES_SEARCH)
  }
}

/** Starts ldap.js with a directory that has the minimum that the recipe needs. */
async function startLdap(t: Test) {
  const directory = { binds: [] as string[], isSilent: false }
  const server = createServer(socket =>
    socket.on('data', data => {
      if (!directory.isSilent) for (const response of responses(data, directory.binds)) socket.write(response)
    })
  )
  const port = await listen(t, server)
  const LDAP_URL = `ldap://127.0.0.1:${port}`
  const visitor = await Visitor.visit(t, recipe(t, 'ldap.js', { LDAP_URL, ...SERVICE }))
  return { directory, server, port, visitor }
}

t.test('ldap.js: the directory decides, and names the user', async t => {
  const { directory, server, visitor } = await startLdap(t)
  await visitor.take(...accepted('ADA'))
  t.strictSame(directory.binds.splice(0), ['cn=service', 'uid=ada'])
  const filters = ['*', 'a*', 'ada)(uid=*', '*)(|(uid=*', '\\2a', 'ä\u0001']
  await visitor.take(
    ...each([...filters, 'unknown', 'bob', 'carol', 'locked'], username => login({ username }, REJECTED)),
    () => t.strictSame(new Set(directory.binds.splice(0)), new Set(['cn=service', 'uid=locked'])),
    ...each(['wrong', ''], password => login({ password }, { success: false })),
    () => t.strictSame(directory.binds, ['cn=service', 'uid=ada'], 'an empty password is not sent')
  )
  const count = () => new Promise(resolve => server.getConnections((_, open) => resolve(open)))
  await until(async () => (await count()) === 0)
})

t.test('ldap.js: logins get a 503 and are no failures while the directory is silent, down or busy', async t => {
  const { directory, server, port, visitor } = await startLdap(t)
  directory.isSilent = true
  await Promise.all(times(12, unavailable()).map(row => visitor.take(row)))
  server.close()
  await visitor.take(...times(12, unavailable()))
  await listen(t, server, port)
  directory.isSilent = false
  await visitor.take(...times(12, unavailable('busy')), ...accepted('ada'))
})

const keys = await generateKeyPair('RS256')
const { privateKey: otherKey } = await generateKeyPair('RS256')

/** Starts oidc.js with a provider that has one user. A test can change its responses. */
async function startOidc(t: Test) {
  const provider = { key: keys.privateKey, claims: {} as JWTPayload, status: 200, discoveries: 0 }
  let issuer = ''
  const respond = async (url: string, fields: URLSearchParams): Promise<[number, unknown]> => {
    if (url === '/.well-known/openid-configuration') {
      provider.discoveries++
      return [200, { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` }]
    }
    if (url === '/jwks') return [200, { keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'RS256' }] }]
    if (fields.get('username')?.toLowerCase() !== 'ada' || fields.get('password') !== 'correct horse')
      return [400, { error: 'invalid_grant' }]
    const claims = { sub: '7', preferred_username: 'ada', name: 'Ada Lovelace', iss: issuer, aud: 'shop' }
    const id_token = await new SignJWT({ ...claims, ...provider.claims })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuedAt()
      .setExpirationTime('1 minute')
      .sign(provider.key)
    return [provider.status, { access_token: 'access-token', token_type: 'Bearer', id_token }]
  }
  const server = createHttpServer(async (request, response) => {
    const [status, body] = await respond(`${request.url}`, new URLSearchParams(await text(request)))
    const headers = { 'content-type': 'application/json', connection: 'close' }
    response.writeHead(status, headers).end(JSON.stringify(body))
  })
  const port = await listen(t, server)
  issuer = `http://127.0.0.1:${port}`
  const env = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'shop', OIDC_CLIENT_SECRET: 'secret of the client' }
  return { provider, server, port, program: recipe(t, 'oidc.js', env) }
}

t.test('oidc.js: the provider decides, and names the user', async t => {
  const { provider, program } = await startOidc(t)
  await Visitor.visit(
    t,
    program,
    ...accepted('ADA'),
    ...accepted('ada'),
    () => t.equal(provider.discoveries, 1),
    ...each([{ password: 'hidden password' }, { username: 'a&password=x' }], fields => login(fields, REJECTED))
  )
  t.notMatch(program.output, /hidden password|secret of the client/)
})

t.test('oidc.js: a login gets a 503 if the provider fails, is down, or signs an ID token of another kind', async t => {
  const { provider, server, port, program } = await startOidc(t)
  server.close()
  const visitor = await Visitor.visit(t, program, unavailable())
  await listen(t, server, port)
  await visitor.take(...accepted('ada'))
  const right = { ...provider }
  for (const fault of [{ key: otherKey }, { claims: { aud: 'other' } }, { claims: { iss: 'x' } }, { status: 502 }]) {
    Object.assign(provider, right, fault)
    await visitor.take(unavailable())
  }
  t.notMatch(program.output, /correct horse|secret of the client|access-token/)
})

const postgres = needs(t, 'postgres')
const folder = temporaryFolder(t, tmpdir())
// PostgreSQL refuses to run as root.
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
if (nobody.uid) chownSync(folder, nobody.uid, nobody.gid)

/** Runs a program of PostgreSQL. Returns its output. */
const run = (name: string, ...args: string[]): string =>
  execFileSync(join(dirname(realpathSync(`${postgres}`)), name), args, { cwd: folder, encoding: 'utf8', ...nobody })
const control = (...args: string[]) => run('pg_ctl', ...args, '-w', '-s', '-D', folder)
const start = () => control('start', '-l', 'log', '-o', `-F -h 127.0.0.1 -p ${port} -c unix_socket_directories=`)
const stop = () => control('stop', '-m', 'immediate')
const sql = (statement: string) => run('psql', '-h', '127.0.0.1', '-p', port, '-U', 'postgres', '-Atqc', statement)
const APP = "FROM pg_stat_activity WHERE usename = 'app'"
const connections = () => Number(sql(`SELECT count(*) ${APP}`))
const limit = (count: number) => () =>
  sql(`ALTER ROLE app CONNECTION LIMIT ${count}; SELECT pg_terminate_backend(pid) ${APP}`)

/** Starts postgres.js with a connection to PostgreSQL that a test can interrupt. */
async function startPostgres(t: Test) {
  const proxy = await FaultyProxy.start(t, Number(port))
  const program = recipe(t, 'postgres.js', { DATABASE_URL: `postgres://app:hidden@127.0.0.1:${proxy.port}/postgres` })
  return { proxy, program, visitor: await Visitor.visit(t, program) }
}

const recovered: Row = ['POST /auth/login', { fields: {}, eventually: true }, 200, { success: true }]

/** Part of a test, because it blocks this process, in which the servers of the other tests run. */
async function testPostgres(t: Test) {
  control('initdb', '-o', '-N -U postgres -A trust -E UTF8 --locale C.UTF-8')
  start()
  t.teardown(stop)
  for (const [statement] of sourceOf('postgres.js').matchAll(/(?<=^\/\/ +)CREATE .*;/gm)) sql(statement)
  sql(`INSERT INTO users VALUES ('ada', 'Ada Lovelace', '${await hash('correct horse')}')`)
  sql('CREATE ROLE app LOGIN; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO app; GRANT SELECT ON users TO app')

  await t.test('the table decides, and names the user', async t => {
    const { visitor } = await startPostgres(t)
    const wrong = [{ username: 'eve' }, { username: "' OR 1 = 1 --" }, { username: 'ad_' }, { password: 'wrong' }]
    await visitor.take(...accepted(' ADA'), ...each(wrong, fields => login(fields, REJECTED)))
  })

  await t.test('logins get a 503 and are no failures while PostgreSQL fails, and succeed after it', async t => {
    const { proxy, program, visitor } = await startPostgres(t)
    const faults: [fault: () => unknown, end: () => unknown, logins: number][] = [
      [stop, start, 12],
      [limit(0), limit(-1), 12],
      [() => proxy.cut('silent'), () => until(() => connections() === 0).then(() => proxy.restore()), 1]
    ]
    for (const [fault, end, logins] of faults)
      await visitor.take(recovered, fault, ...times(logins, unavailable()), end, recovered)
    t.match(program.output, /connection to PostgreSQL lost/)
    t.notMatch(program.output, /hidden|correct horse/)
    const wrong = recipe(t, 'postgres.js', { DATABASE_URL: 'postgres://app:hidden#@127.0.0.1/postgres' })
    await Visitor.visit(t, wrong, ...times(12, unavailable()))
    t.notMatch(wrong.output, /hidden/)
  })

  await t.test('logins that nobody waits for keep three connections at most, and not for long', async t => {
    const { visitor } = await startPostgres(t)
    const body = new Blob(['{"fields":{"username":"ada","password":"correct horse"}}'], { type: 'application/json' })
    const url = `${visitor.url}/auth/login`
    const leave = () => fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(100) })
    sql('ALTER TABLE users RENAME TO people; CREATE VIEW users AS SELECT *, pg_sleep(90)::text FROM people')
    for (let i = 0; i < 5; i++) await Promise.allSettled(Array.from({ length: 20 }, leave))
    const counts = [connections()]
    await until(() => counts.push(connections()) > 0 && counts.at(-1) === 0)
    t.ok(Math.max(...counts) <= 3, `${counts}`)
    await visitor.take(unavailable())
  })
}

if (postgres) t.test('postgres.js', testPostgres)
