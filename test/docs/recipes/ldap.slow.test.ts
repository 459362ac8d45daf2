// Logins that a directory checks: ldap.js.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { BerReader, BindRequest, ProtocolOperation, SearchRequest } from 'ldapts'
import t, { type Test } from 'tap'
import { until } from '../../helpers.ts'
import { jsonOf, logIn, recipe, startRecipe, tokenOf } from '../program.ts'

const { LDAP_REQ_BIND, LDAP_REQ_SEARCH, LDAP_RES_BIND, LDAP_RES_SEARCH, LDAP_RES_SEARCH_ENTRY } = ProtocolOperation

const SERVICE = { LDAP_BASE: 'dc=example', LDAP_BIND_DN: 'cn=service', LDAP_BIND_PASSWORD: 'service password' }

interface Entry {
  password: string
  attributes?: Record<string, string[]>
  /** The result code of a bind, if it is neither success nor a wrong password. */
  code?: number
}

const entry = (uid: string[], more: object = {}): Entry => ({
  password: 'correct horse',
  attributes: { uid, cn: ['Ada Lovelace', 'Ada'] },
  ...more
})

const ENTRIES: Record<string, Entry> = {
  'cn=service': { password: 'service password' },
  'uid=ada': entry(['ada']),
  'uid=bob,ou=1': entry(['bob']),
  'uid=bob,ou=2': entry(['bob']),
  'uid=carol': entry(['dave', 'carol']),
  'uid=locked': entry(['locked'], { code: 19 }),
  'uid=busy': entry(['busy'], { code: 51 })
}

/** A value of BER that is shorter than 128 bytes. */
function ber(tag: number, ...parts: (string | number | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map(part => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))))
  return Buffer.concat([Buffer.of(tag, content.length), content])
}

const message = (id: number, operation: number, ...parts: Buffer[]) =>
  ber(0x30, ber(0x02, id), ber(operation, ...parts))

const result = (id: number, operation: number, code = 0) =>
  message(id, operation, ber(0x0a, code), ber(0x04), ber(0x04))

function found(id: number, dn: string, attributes: Record<string, string[]>): Buffer {
  const list = Object.entries(attributes).map(([type, values]) =>
    ber(0x30, ber(0x04, type), ber(0x31, ...values.map(value => ber(0x04, value))))
  )
  return message(id, LDAP_RES_SEARCH_ENTRY, ber(0x04, dn), ber(0x30, ...list))
}

function* responses(data: Buffer, binds: string[]): Generator<Buffer> {
  const reader = new BerReader(data)
  reader.readSequence()
  const id = reader.readInt() as number
  const operation = reader.readSequence()
  if (operation === LDAP_REQ_BIND) {
    const request = new BindRequest({ messageId: id })
    request.parseMessage(reader)
    binds.push(request.dn)
    const { password, code = 0 } = ENTRIES[request.dn] as Entry
    yield result(id, LDAP_RES_BIND, request.password === password ? code : 49)
  } else if (operation === LDAP_REQ_SEARCH) {
    const request = new SearchRequest({ messageId: id } as never)
    request.parseMessage(reader)
    for (const [dn, { attributes = {} }] of Object.entries(ENTRIES))
      if (attributes.uid?.some(uid => request.filter.matches({ uid, objectclass: 'person' })))
        yield found(id, dn, attributes)
    yield result(id, LDAP_RES_SEARCH)
  }
}

/** A directory with the least that the recipe needs. */
async function startDirectory(t: Test, port = 0) {
  const binds: string[] = []
  const directory = {
    /** Who has tried to bind. */
    binds,
    isSilent: false,
    server: createServer(socket =>
      socket.on('data', data => {
        if (!directory.isSilent) for (const response of responses(data, binds)) socket.write(response)
      })
    ) as Server,
    port
  }
  directory.server.listen(port, '127.0.0.1')
  await once(directory.server, 'listening')
  t.teardown(() => directory.server.close())
  directory.port = (directory.server.address() as AddressInfo).port
  return directory
}

async function startBoth(t: Test, env = {}) {
  const directory = await startDirectory(t)
  const LDAP_URL = `ldap://127.0.0.1:${directory.port}`
  return { directory, url: await startRecipe(t, 'ldap.js', { LDAP_URL, ...SERVICE, ...env }) }
}

const WRONG = { success: false, token: null, error: 'Wrong username or password.', screen: null }

t.test('ldap: the name is that of the directory, however it was entered', async t => {
  const { url, directory } = await startBoth(t)
  const token = await tokenOf(url, { username: 'ADA' })
  t.match(await jsonOf(`${url}/menu/main`, token), { user_display_name: 'Ada Lovelace' })
  t.match(JSON.parse(atob(`${token.split('.')[1]}`)), { sub: 'ada' })
  t.strictSame(directory.binds, ['cn=service', 'uid=ada'])
})

t.test('ldap: a wrong login is wrong, and a name is no filter', async t => {
  const { url, directory } = await startBoth(t)
  const names = ['unknown', '*', 'a*', 'ada)(uid=*', '*)(|(uid=*', '\\2a', 'ä\u0001']
  for (const username of names) t.strictSame(await (await logIn(url, { username })).json(), WRONG, username)
  t.strictSame(new Set(directory.binds), new Set(['cn=service']))
  t.strictSame(await (await logIn(url, { password: 'wrong' })).json(), WRONG)
  t.equal(directory.binds.at(-1), 'uid=ada')
})

t.test('ldap: who is locked, is there twice or has two names does not come in', async t => {
  const { url } = await startBoth(t)
  for (const username of ['locked', 'bob', 'carol'])
    t.strictSame(await (await logIn(url, { username })).json(), WRONG, username)
})

t.test('ldap: an empty password does not reach the directory', async t => {
  const { url, directory } = await startBoth(t)
  t.equal(await tokenOf(url, { password: '' }), null)
  t.strictSame(directory.binds, [])
})

/** Whether logins are 503, more of them than may fail. */
async function isUnavailable(url: string, username = 'ada') {
  const responses = await Promise.all(Array.from({ length: 12 }, () => logIn(url, { username })))
  return responses.every(({ status, headers }) => status === 503 && headers.has('retry-after'))
}

t.test('ldap: while the directory is down, silent or busy logins are 503, and none is counted', async t => {
  const { url, directory } = await startBoth(t)
  directory.isSilent = true
  t.ok(await isUnavailable(url))
  directory.server.close()
  t.ok(await isUnavailable(url))
  await startDirectory(t, directory.port)
  t.ok(await isUnavailable(url, 'busy'))
  t.type(await tokenOf(url), 'string')
})

t.test('ldap: a service account that is refused is no fault of the person', async t => {
  const { url } = await startBoth(t, { LDAP_BIND_PASSWORD: 'wrong' })
  t.ok(await isUnavailable(url))
})

t.test('ldap: no connection is left', async t => {
  const { url, directory } = await startBoth(t)
  for (const password of ['correct horse', 'wrong']) await tokenOf(url, { password })
  const count = () => new Promise(resolve => directory.server.getConnections((_, open) => resolve(open)))
  await until(async () => (await count()) === 0)
})

t.test('ldap: passwords are sent in clear to this machine only', async t => {
  const server = recipe(t, 'ldap.js', { LDAP_URL: 'ldap://directory.example', ...SERVICE })
  t.equal(await server.end(), 1)
  t.match(server.output, 'LDAP_URL must begin with ldaps:')
})
