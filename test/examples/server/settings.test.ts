// The environment variables of the example server, and the messages about invalid values.

import { once } from 'node:events'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { readConfig } from '../../../examples/server/config.ts'
import { run } from '../../../examples/server/errors.ts'
import { listen } from '../../../examples/server/listen.ts'
import { addDemoData, openStores } from '../../../examples/server/stores.ts'
import { optionsFromEnv } from '../../../lib/index.ts'
import { freshDatabase } from '../process.ts'

type Environment = Record<string, string>

/** Returns the URL of a folder for the embedded database. */
const folderOf = (path: string) => pathToFileURL(`${path}/`)

const modeOf = (path: string) => statSync(path).mode & 0o777

/** Returns the configuration, by default with a database in memory. */
const configOf = (env: Environment) => readConfig({ SVC_DATABASE_URL: 'file::memory:', ...env })

/** Reads the environment and opens the database and the port as the server does at its start. */
async function start(env: Environment): Promise<void> {
  const config = configOf({ PORT: '0', ...env })
  optionsFromEnv(env)
  const stores = await openStores(config.databaseUrl)
  if (config.demoUser) await addDemoData(stores)
  stores.close()
  const app = Fastify()
  try {
    await listen(app, config)
  } finally {
    await app.close()
  }
}

/** Runs a program as the server and the commands run. Returns its exit codes and its messages. */
async function ending(t: Test, program: () => unknown) {
  const exit = t.capture(process, 'exit', (() => {}) as typeof process.exit)
  const error = t.capture(console, 'error', () => {})
  const umask = process.umask()
  try {
    await run(async () => {
      await program()
    })
  } finally {
    process.umask(umask)
    for (const { restore } of [exit, error]) restore()
  }
  return { exits: exit.args().flat(), messages: error.args().flat() }
}

t.test('by default the server listens only on this machine, has a demo user and no Redis', async t => {
  const folder = folderOf(`${t.testdir()}/data`)
  t.strictSame(readConfig({}, folder), {
    host: '127.0.0.1',
    port: 3000,
    databaseUrl: `file:${folder.pathname}users.db`,
    redisUrl: null,
    tokenLifetime: 86_400,
    trustProxy: false,
    demoUser: true,
    language: 'en',
    brand: undefined
  })
})

t.test('only its owner can open the folder of the embedded database, even if the folder existed before', async t => {
  const path = t.testdir({ 'users.db': '' })
  readConfig({}, folderOf(path))
  t.equal(modeOf(path), 0o700)
})

t.test('only its owner can read the files of a database, even if the files existed before', async t => {
  const path = t.testdir()
  const url = `file:${path}/my%20users.db`
  const other = createClient({ url })
  t.teardown(() => other.close())
  await other.execute('PRAGMA journal_mode = WAL')
  await other.execute('CREATE TABLE others (id INTEGER PRIMARY KEY)')
  const files = ['my users.db', 'my users.db-shm', 'my users.db-wal']
  t.strictSame(readdirSync(path).sort(), files)
  for (const file of files) chmodSync(join(path, file), 0o644)

  const stores = await openStores(url)
  t.teardown(() => stores.close())
  for (const file of readdirSync(path)) t.equal(modeOf(join(path, file)), 0o600, file)
})

t.test('a database whose file permissions cannot be restricted ends the start with one line', async t => {
  const path = t.testdir({ 'users.db': '', 'users.db-shm': t.fixture('symlink', 'users.db-shm') })
  const message =
    `SVC_DATABASE_URL: cannot keep others from reading file:${path}/users.db (ELOOP); ` +
    'give the file to the user who runs this, or set SVC_DATABASE_URL to another one'
  const ended = await ending(t, () => openStores(`file:${path}/users.db?tls=0`))
  t.strictSame(ended, { exits: [1], messages: [message] })
})

t.test('a folder that cannot hold the embedded database ends the start with one line', async t => {
  const path = `${t.testdir({ file: 'not a folder' })}/file/data`
  const message =
    `SVC_DATABASE_URL: the folder ${path}/ of the embedded database cannot be used (ENOTDIR); ` +
    'make it writable, or set SVC_DATABASE_URL to a libSQL URL such as file:users.db'
  t.strictSame(await ending(t, () => readConfig({}, folderOf(path))), { exits: [1], messages: [message] })
})

t.test('a server that others can reach has no demo user, unless SVC_DEMO_USER is true', async t => {
  const cases: [Environment, boolean][] = [
    [{}, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '127.9.9.9' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '127.example.com' }, false],
    [{ SVC_TRUST_PROXY: '127.0.0.1' }, false],
    [{ HOST: '0.0.0.0', SVC_DEMO_USER: 'True' }, true],
    [{ SVC_DEMO_USER: 'false' }, false]
  ]
  for (const [env, isMade] of cases) t.equal(configOf(env).demoUser, isMade, JSON.stringify(env))
})

t.test('SVC_TRUST_PROXY lists the proxies that may report the address of a client', async t => {
  const { trustProxy } = configOf({ SVC_TRUST_PROXY: '10.0.0.0/8, ::1,fd00::/128' })
  t.strictSame(trustProxy, ['10.0.0.0/8', '::1', 'fd00::/128'])
})

t.test('valid settings cause no message, and the program keeps running', async t => {
  t.strictSame(await ending(t, () => start({})), { exits: [], messages: [] })
})

/** The rejected values of each variable, and the message about them. */
const WRONG: [name: string, message: string, ...values: string[]][] = [
  ['PORT', ' must be a whole number from 0 to 65535', 'abc', ' ', '65536'],
  ['HOST', ' must be an address', '', 'a\nb'],
  ['HOST', ' fe80::1%nope: cannot listen on this address', 'fe80::1%nope'],
  ['HOST', ' 192.0.2.1 is not an address of this machine; set HOST', '192.0.2.1'],
  ['SVC_LANGUAGE', ' must be en or de; unset it for en', 'fr', ''],
  ['SVC_DEMO_USER', ' must be true or false', 'yes'],
  ['SVC_TOKEN_LIFETIME', ' must be a whole number of seconds from 1 to 34560000', '0', '1.5', '34560001'],
  [
    'SVC_TRUST_PROXY',
    ' must be the addresses or networks of your proxies',
    ...['', 'true', '1', '10.0.0.0/33', '0.0.0.0/0', '::/00', '10.0.0.0/x', '::/129', '10.0.0.0/8/8', '10.0.0.1,']
  ],
  ['SVC_AUTH', ' must be true or false', 'maybe'],
  ['SVC_AUTH_SECRET', ' must have at least 32 bytes', '', 'hunter2'],
  ['SVC_APP_NAME', ' must', ''],
  ['SVC_REDIS_URL', ' must be a Redis URL, for example redis://', '', 'redis', 'http://127.0.0.1:6379', 'redis://'],
  ['SVC_DATABASE_URL', ' must be a libSQL URL', ''],
  ['SVC_DATABASE_URL', ': cannot use the database (', 'nonsense'],
  ['SVC_DATABASE_URL', ': cannot use mysql://localhost (', 'mysql://localhost/x'],
  // The message must not repeat any part of a password.
  ['SVC_DATABASE_URL', ': cannot use the database (', 'libsql:me:hunter2@db.example/x'],
  ['SVC_DATABASE_URL', ': cannot use the database (', 'libsql://me:12/hunter2@127.0.0.1', 'libsql://me:12#hunter2@x'],
  ['SVC_DATABASE_URL', ': cannot use http://127.0.0.1:9 (', 'http://me:hunter2@127.0.0.1:9/?authToken=hunter2']
]

for (const [name, message, ...values] of WRONG)
  t.test(`an invalid setting is rejected with one line: ${name}${message}`, async t => {
    for (const value of values) {
      const { exits, messages } = await ending(t, () => start({ [name]: value }))
      t.strictSame([exits, messages.length], [[1], 1], value)
      t.ok(messages[0].startsWith(`${name}${message}`), messages[0])
      t.notMatch(messages[0], /\n|hunter2|me:12/)
    }
  })

t.test('an invalid database, or one of another program, is rejected with one line', async t => {
  const foreign = freshDatabase(t).SVC_DATABASE_URL
  const client = createClient({ url: foreign })
  await client.execute('CREATE TABLE users (id INTEGER PRIMARY KEY)')
  client.close()
  const path = t.testdir({ 'users.db': 'no database, and more than sixteen bytes' })
  for (const [url, reason] of [
    [`file:${path}/no/such/users.db`, 'it does not open'],
    [`file:${path}/users.db`, 'SQLITE_NOTADB'],
    [foreign, 'SQLITE_ERROR']
  ] as const)
    t.match(await ending(t, () => start({ SVC_DATABASE_URL: url })), {
      exits: [1],
      messages: [new RegExp(`^SVC_DATABASE_URL: cannot use ${url} .*${reason}.*; set it to a libSQL URL[^\n]*$`)]
    })
})

t.test('a port in use is rejected with one line', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.teardown(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const message = `PORT ${port} is in use on 127.0.0.1; set PORT to a free one`
  t.strictSame(await ending(t, () => start({ PORT: String(port) })), { exits: [1], messages: [message] })
})

t.test('an error that is not about a setting is thrown with its stack', async t => {
  const fault = new Error('a fault of the program')
  const fail = () => Promise.reject(fault)
  await t.rejects(ending(t, fail), fault)
})
