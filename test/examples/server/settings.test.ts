// What the environment may say to the example server, and how it says what is wrong.

import { once } from 'node:events'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { readConfig } from '../../../examples/server/config.ts'
import { run, SetupError } from '../../../examples/server/errors.ts'
import { listen } from '../../../examples/server/listen.ts'
import { addDemoData, openStores } from '../../../examples/server/stores.ts'
import { optionsFromEnv } from '../../../lib/index.ts'
import { freshDatabase } from '../process.ts'

type Environment = Record<string, string>

/** Does with the environment what the server does when it starts. */
async function start(env: Environment): Promise<void> {
  const config = readConfig({ SVC_DATABASE_URL: 'file::memory:', PORT: '0', ...env })
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

/** Runs a program as the server and the commands are run. Returns how it ends. */
async function ending(t: Test, program: () => Promise<void>) {
  const exit = t.capture(process, 'exit', (() => {}) as typeof process.exit)
  const error = t.capture(console, 'error', () => {})
  const umask = process.umask()
  try {
    await run(program)
  } finally {
    process.umask(umask)
    for (const { restore } of [exit, error]) restore()
  }
  return { exits: exit.args(), said: error.args() }
}

t.test('with nothing configured the server is for this machine, has a demo user and no Redis', async t => {
  const folder = pathToFileURL(`${t.testdir()}/data/`)
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

t.test(
  'only its owner can look into the folder of the embedded database, also one that is there',
  async t => {
    const path = t.testdir({ 'users.db': '' })
    readConfig({}, pathToFileURL(`${path}/`))
    t.equal(statSync(path).mode & 0o777, 0o700)
  }
)

t.test('only its owner can read the files of a database, also those that are there already', async t => {
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
  for (const file of readdirSync(path)) t.equal(statSync(join(path, file)).mode & 0o777, 0o600, file)
})

t.test('only its owner can read the files of a new database', async t => {
  const path = t.testdir()
  const umask = process.umask(0o022)
  t.teardown(() => process.umask(umask))
  const stores = await openStores(`file:${path}/users.db`)
  t.teardown(() => stores.close())
  await addDemoData(stores)
  for (const file of readdirSync(path)) t.equal(statSync(join(path, file)).mode & 0o777, 0o600, file)
})

t.test('a database whose files cannot be kept from others ends the start with one line', async t => {
  const path = t.testdir({ 'users.db': '', 'users.db-shm': t.fixture('symlink', 'users.db-shm') })
  const { exits, said } = await ending(t, async () => {
    await openStores(`file:${path}/users.db?tls=0`)
  })
  t.strictSame(exits, [[1]])
  t.strictSame(said, [
    [
      `SVC_DATABASE_URL: cannot keep others from reading file:${path}/users.db (ELOOP); ` +
        'give the file to the user who runs this, or set SVC_DATABASE_URL to another one'
    ]
  ])
})

t.test('a folder that cannot hold the embedded database ends the start with one line', async t => {
  const path = `${t.testdir({ file: 'not a folder' })}/file/data/`
  const { exits, said } = await ending(t, async () => {
    readConfig({}, pathToFileURL(path))
  })
  t.strictSame(exits, [[1]])
  t.strictSame(said, [
    [
      `SVC_DATABASE_URL: the folder ${path} of the embedded database cannot be used (ENOTDIR); ` +
        'make it writable, or set SVC_DATABASE_URL to a libSQL URL such as file:users.db'
    ]
  ])
})

t.test('the demo user is not made where others can log in, unless SVC_DEMO_USER says so', async t => {
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
  for (const [env, isMade] of cases) {
    const { demoUser } = readConfig({ SVC_DATABASE_URL: 'file::memory:', ...env })
    t.equal(demoUser, isMade, JSON.stringify(env))
  }
})

t.test('SVC_TRUST_PROXY names the proxies whose word about the address of a client is believed', async t => {
  const { trustProxy } = readConfig({
    SVC_DATABASE_URL: 'file::memory:',
    SVC_TRUST_PROXY: '10.0.0.0/8, ::1,fd00::/128'
  })
  t.strictSame(trustProxy, ['10.0.0.0/8', '::1', 'fd00::/128'])
})

t.test('without a wrong setting nothing is said, and the program goes on', async t => {
  t.strictSame(await ending(t, () => start({})), { exits: [], said: [] })
})

t.test('W17: a wrong setting is refused with one line that names the setting and the fix', async t => {
  // A database of somebody else, with another table of the same name.
  const foreign = freshDatabase(t)
  const client = createClient({ url: foreign.SVC_DATABASE_URL })
  await client.execute('CREATE TABLE users (id INTEGER PRIMARY KEY)')
  client.close()
  const noDatabase = t.testdir({ 'users.db': 'no database, and more than sixteen bytes' })

  const wrong: [Environment, RegExp][] = [
    [{ PORT: 'abc' }, /^PORT must be a whole number from 0 to 65535/],
    [{ PORT: ' ' }, /^PORT must/],
    [{ PORT: '65536' }, /^PORT must/],
    [{ HOST: '' }, /^HOST must be an address/],
    [{ HOST: 'a\nb' }, /^HOST must be an address/],
    [{ HOST: 'fe80::1%nope' }, /^HOST fe80::1%nope cannot be listened on/],
    [{ HOST: '192.0.2.1' }, /^HOST 192.0.2.1 is not an address of this machine; set HOST/],
    [{ SVC_LANGUAGE: 'fr' }, /^SVC_LANGUAGE must be en or de; unset it for en$/],
    [{ SVC_LANGUAGE: '' }, /^SVC_LANGUAGE must/],
    [{ SVC_DEMO_USER: 'yes' }, /^SVC_DEMO_USER must be true or false/],
    [{ SVC_TOKEN_LIFETIME: '0' }, /^SVC_TOKEN_LIFETIME must be a whole number of seconds/],
    [{ SVC_TOKEN_LIFETIME: '1.5' }, /^SVC_TOKEN_LIFETIME must/],
    ...[
      '',
      'true',
      '1',
      '10.0.0.0/33',
      '0.0.0.0/0',
      '::/00',
      '10.0.0.0/x',
      '::/129',
      '10.0.0.0/8/8',
      '10.0.0.1,'
    ].map((SVC_TRUST_PROXY): [Environment, RegExp] => [
      { SVC_TRUST_PROXY },
      /^SVC_TRUST_PROXY must be the addresses or networks of your proxies/
    ]),
    [{ SVC_AUTH: 'maybe' }, /^SVC_AUTH must be true or false/],
    [{ SVC_AUTH_SECRET: '' }, /^SVC_AUTH_SECRET must have at least 32 bytes/],
    [{ SVC_AUTH_SECRET: 'hunter2' }, /^SVC_AUTH_SECRET(?!.*hunter2)/],
    [{ SVC_APP_NAME: '' }, /^SVC_APP_NAME must/],
    [{ SVC_REDIS_URL: '' }, /^SVC_REDIS_URL must be a Redis URL, for example redis:\/\//],
    [{ SVC_REDIS_URL: 'redis' }, /^SVC_REDIS_URL must/],
    [{ SVC_REDIS_URL: 'http://127.0.0.1:6379' }, /^SVC_REDIS_URL must/],
    [{ SVC_REDIS_URL: 'redis://' }, /^SVC_REDIS_URL must/],
    [{ SVC_DATABASE_URL: '' }, /^SVC_DATABASE_URL must be a libSQL URL/],
    [{ SVC_DATABASE_URL: 'nonsense' }, /^SVC_DATABASE_URL: cannot use .*set it to a libSQL URL/],
    [{ SVC_DATABASE_URL: 'mysql://localhost/x' }, /^SVC_DATABASE_URL: cannot use mysql:/],
    [{ SVC_DATABASE_URL: `file:${noDatabase}/no/such/users.db` }, /^SVC_DATABASE_URL: cannot use file:/],
    [{ SVC_DATABASE_URL: `file:${noDatabase}/users.db` }, /^SVC_DATABASE_URL: cannot use .*NOTADB/],
    [foreign, /^SVC_DATABASE_URL: cannot use file:.*SQLITE_ERROR/]
  ]
  for (const [env, message] of wrong) {
    const name = JSON.stringify(env)
    const { exits, said } = await ending(t, () => start(env))
    t.strictSame(exits, [[1]], name)
    t.match(said, [[message]], name)
    t.notMatch(said.join(), /\n/, name)
  }
})

t.test('no part of a password is repeated from the URL of a database', async t => {
  for (const [SVC_DATABASE_URL, message] of [
    ['libsql:me:hunter2@db.example/x', /^SVC_DATABASE_URL: cannot use the database (?!.*hunter2)/],
    ['libsql://me:12/hunter2@127.0.0.1', /^SVC_DATABASE_URL: cannot use the database (?!.*hunter2)/],
    ['libsql://me:12#hunter2@127.0.0.1', /^SVC_DATABASE_URL: cannot use the database (?!.*me:12)/],
    [
      'http://me:hunter2@127.0.0.1:9/?authToken=hunter2',
      /^SVC_DATABASE_URL: cannot use http:\/\/127.0.0.1:9 (?!.*hunter2)/
    ]
  ] as const)
    await t.rejects(start({ SVC_DATABASE_URL }), { name: 'SetupError', message }, SVC_DATABASE_URL)
})

t.test('W17: a port in use is refused with one line', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.teardown(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const message = `PORT ${port} is in use on 127.0.0.1; set PORT to a free one`
  await t.rejects(start({ PORT: String(port) }), new SetupError(message))
})

t.test('a fault that is no wrong setting ends the program with its stack', async t => {
  const fault = new Error('a fault of the program')
  await t.rejects(
    ending(t, () => Promise.reject(fault)),
    fault
  )
})
