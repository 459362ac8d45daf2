// Logins that a directory checks: ldap.js.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { BerReader, BindRequest, ProtocolOperation, SearchRequest } from 'ldapts'
import t, { type Test } from 'tap'
import { until } from '../../helpers.ts'
import { jsonOf, logIn, recipe, startRecipe, tokenOf } from '../program.ts'

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

/** Starts an LDAP server with the minimum that the recipe needs. */
async function startDirectory(t: Test, port = 0) {
  const directory = {
    /** The DNs of the bind requests. */
    binds: [] as string[],
    isSilent: false,
    server: createServer(socket =>
      socket.on('data', data => {
        if (!directory.isSilent) for (const response of responses(data, directory.binds)) socket.write(response)
      })
    ).listen(port, '127.0.0.1')
  }
  await once(directory.server, 'listening')
  t.teardown(() => directory.server.close())
  return directory
}

async function startBoth(t: Test, env: Record<string, string> = {}) {
  const directory = await startDirectory(t)
  const { port } = directory.server.address() as AddressInfo
  const url = await startRecipe(t, 'ldap.js', { LDAP_URL: `ldap://127.0.0.1:${port}`, ...SERVICE, ...env })
  /** Returns whether 12 logins, more than the limit of failures, all return 503 with Retry-After. */
  const isDown = async (username = 'ada') => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => logIn(url, { username })))
    return responses.every(({ status, headers }) => status === 503 && headers.has('retry-after'))
  }
  const count = () => new Promise(resolve => directory.server.getConnections((_, open) => resolve(open)))
  return { directory, port, url, isDown, isUnconnected: async () => (await count()) === 0 }
}

t.test('ldap: the session has the username of the directory, and every connection is closed', async t => {
  const { url, directory, isUnconnected } = await startBoth(t)
  const token = await tokenOf(url, { username: 'ADA' })
  t.match(JSON.parse(atob(`${token.split('.')[1]}`)), { sub: 'ada' })
  t.match(await jsonOf(`${url}/menu/main`, token), { user_display_name: 'Ada Lovelace' })
  t.strictSame(directory.binds, ['cn=service', 'uid=ada'])
  await until(isUnconnected)
})

t.test('ldap: wrong passwords, filters as usernames, ambiguous usernames and locked accounts are rejected', async t => {
  const { url, directory } = await startBoth(t)
  const filters = ['*', 'a*', 'ada)(uid=*', '*)(|(uid=*', '\\2a', 'ä\u0001']
  for (const fields of [...filters, 'unknown', 'bob', 'carol', 'locked'].map(username => ({ username })))
    t.match(await (await logIn(url, fields)).json(), { success: false, error: 'Wrong username or password.' }, fields)
  t.strictSame(new Set(directory.binds), new Set(['cn=service', 'uid=locked']))
  for (const password of ['wrong', '']) t.equal(await tokenOf(url, { password }), null)
  t.strictSame(directory.binds.slice(-2), ['cn=service', 'uid=ada'], 'an empty password is not sent')
})

t.test('ldap: logins return 503 and do not count as failures while the directory is down, silent or busy', async t => {
  const { url, directory, port, isDown, isUnconnected } = await startBoth(t)
  directory.isSilent = true
  t.ok(await isDown())
  await until(isUnconnected)
  directory.server.close()
  t.ok(await isDown())
  await startDirectory(t, port)
  t.ok(await isDown('busy'))
  t.type(await tokenOf(url), 'string')
})

t.test('ldap: logins return 503 and do not count as failures while the service account is rejected', async t => {
  const { isDown } = await startBoth(t, { LDAP_BIND_PASSWORD: 'wrong' })
  t.ok(await isDown())
})

t.test('ldap: a client that disconnects during each check gets no more guesses', async t => {
  const { url, directory } = await startBoth(t)
  const guesses = () => directory.binds.filter(dn => dn === 'uid=ada').length
  for (let i = 0; i < 12; i++) {
    const [before, client] = [guesses(), new AbortController()]
    const body = JSON.stringify({ fields: { username: 'ada', password: 'wrong' } })
    const headers = { 'content-type': 'application/json' }
    let hasResponse = false
    fetch(`${url}/auth/login`, { method: 'POST', headers, body, signal: client.signal }).then(
      () => (hasResponse = true),
      () => {}
    )
    await until(() => hasResponse || guesses() > before)
    client.abort()
  }
  t.equal(guesses(), 10)
})

t.test('ldap: an unencrypted connection to another machine is rejected at the start', async t => {
  const server = recipe(t, 'ldap.js', { LDAP_URL: 'ldap://directory.example', ...SERVICE })
  t.equal(await server.end(), 1)
  t.match(server.output, 'LDAP_URL must begin with ldaps:')
})
