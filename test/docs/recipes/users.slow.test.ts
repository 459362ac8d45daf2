// Recipes that identify the caller: user-record.js, tenants.js and api-keys.js.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Json } from '../../examples/process.ts'
import { bearer, until } from '../../helpers.ts'
import { jsonOf, logIn, preload, recipe, request, startCode, startRecipe, statusOf, tokenOf } from '../program.ts'

const BOB = { username: 'bob', password: 'battery staple' }

/** Starts user-record.js, which prints a line for each read of a user. A test can change the records. */
async function startWithRecords(t: Test, seconds: string) {
  const changed = join(t.testdir({ 'users.json': '{}' }), 'users.json')
  const NODE_OPTIONS = preload(`
    import { readFileSync } from 'node:fs'
    const { get } = Map.prototype
    Map.prototype.get = function (key) {
      const value = get.call(this, key)
      if (!value?.displayName) return value
      process.stdout.write('read ' + key + '\\n')
      const changes = JSON.parse(readFileSync(${JSON.stringify(changed)}))
      if (!(key in changes)) return value
      if (changes[key] === 'down') throw new Error('the database is down')
      return changes[key] ? { ...value, ...changes[key] } : undefined
    }
  `)
  const server = recipe(t, 'user-record.js', { CACHE_SECONDS: seconds, NODE_OPTIONS })
  const url = await server.listening()
  const readsOf = (name: string) => server.output.split(`read ${name}\n`).length - 1
  return {
    url,
    change: (users: object) => writeFileSync(changed, JSON.stringify(users)),
    /** Returns the number of reads of ada. Output is in order, so a printed read of bob means that it is complete. */
    async reads() {
      const before = readsOf('bob')
      await logIn(url, { username: 'bob', password: 'wrong' })
      await until(() => readsOf('bob') > before)
      return readsOf('ada')
    }
  }
}

t.test('user-record: a hook and a handler of one request share one query', async t => {
  const { url, reads } = await startWithRecords(t, '0.001')
  const token = await tokenOf(url)
  const before = await reads()
  t.equal((await jsonOf(`${url}/screen/orders`, token)).title, 'Orders of customer 7')
  t.equal((await reads()) - before, 1)
})

t.test('user-record: consecutive requests share one query', async t => {
  const { url, reads } = await startWithRecords(t, '3600')
  const token = await tokenOf(url)
  const before = await reads()
  for (let i = 0; i < 5; i++) t.equal(await statusOf(`${url}/screen/orders`, token), 200)
  t.equal((await reads()) - before, 1)
})

t.test('user-record: each user has their own record', async t => {
  const url = await startRecipe(t, 'user-record.js')
  for (const [id, fields] of [[7], [8, BOB]] as const) {
    const { title } = await jsonOf(`${url}/screen/orders`, await tokenOf(url, fields))
    t.equal(title, `Orders of customer ${id}`)
  }
})

t.test('user-record: a change takes effect once the cached record expires', async t => {
  const { url, change } = await startWithRecords(t, '0.001')
  const token = await tokenOf(url, BOB)
  change({ bob: { id: 9 } })
  await until(async () => (await jsonOf(`${url}/screen/orders`, token)).title === 'Orders of customer 9')
})

t.test('user-record: a removed user gets the same 401 as an invalid token', async t => {
  const { url, change } = await startWithRecords(t, '0.001')
  const token = await tokenOf(url, BOB)
  change({ bob: null })
  await until(async () => (await statusOf(`${url}/screen/orders`, token)) !== 200)
  const refusal = async (path: string, token: string) => {
    const response = await request(url + path, token)
    const headers = ['www-authenticate', 'cache-control'].map(name => response.headers.get(name))
    return [response.status, ...headers, await response.text()]
  }
  const expected = await refusal('/screen/orders', `${token}x`)
  t.equal(expected[0], 401)
  for (const path of ['/screen/orders', '/menu/main']) t.strictSame(await refusal(path, token), expected)
})

t.test('user-record: a database that is down ends no session', async t => {
  const { url, change } = await startWithRecords(t, '0.001')
  const token = await tokenOf(url, BOB)
  change({ bob: 'down' })
  await until(async () => (await statusOf(`${url}/screen/orders`, token)) === 500)
  change({})
  t.equal(await statusOf(`${url}/screen/orders`, token), 200)
})

const NORTH_SECRET = 'the secret of the north has 32 bytes and more'
const SOUTH_SECRET = 'the secret of the south has 32 bytes and more'

const NORTH = 'north.example.com'
const SOUTH = 'south.example.com'

/** Sends a request to a tenant, or posts a password to it. `fetch` could not set the Host header. */
async function send(url: string, host: string, { token = '', method = 'GET', password = '' } = {}) {
  const headers = { host, ...(token && bearer(token)), 'content-type': 'application/json' }
  const sent = http.request(url, { method: password ? 'POST' : method, headers })
  sent.end(password && JSON.stringify({ fields: { username: 'ada', password } }))
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  const body = await text(response)
  return { status: response.statusCode, json: (body.startsWith('{') ? JSON.parse(body) : null) as Json }
}

t.test('tenants', async t => {
  const url = await startRecipe(t, 'tenants.js', { NORTH_SECRET, SOUTH_SECRET })
  const tokenAt = async (host: string, password: string) =>
    (await send(`${url}/auth/login`, host, { password })).json.token
  const [ofNorth, ofSouth] = [await tokenAt(NORTH, 'correct horse'), await tokenAt(SOUTH, BOB.password)]

  t.test('a token of one tenant returns 401 at the other, even on an unknown path', async t => {
    for (const path of ['/screen/profile', '/menu/main', '/unknown'])
      for (const [own, other, token] of [
        [NORTH, SOUTH, ofNorth],
        [SOUTH, NORTH, ofSouth]
      ] as const) {
        t.equal((await send(url + path, own, { token })).status, path === '/unknown' ? 404 : 200)
        t.equal((await send(url + path, other, { token })).status, 401)
        t.equal((await send(url + path, own)).status, 401)
      }
  })

  t.test('each tenant has its own login form, users and screens', async t => {
    t.match((await send(`${url}/auth/login`, SOUTH)).json, { title: 'South Company' })
    t.match((await send(`${url}/screen/profile`, NORTH, { token: ofNorth })).json, {
      user_display_name: 'Ada of the North'
    })
    t.equal(await tokenAt(NORTH, BOB.password), null)
  })

  t.test('a host is found in any case and with a port, and a method without a route returns 401', async t => {
    for (const host of [NORTH, 'North.Example.com', `${NORTH}:3000`]) {
      t.equal((await send(`${url}/auth/login`, host, { method: 'HEAD' })).status, 200, host)
      for (const method of ['HEAD', 'PUT', 'DELETE', 'OPTIONS'])
        for (const path of ['/', '/unknown']) t.equal((await send(url + path, host, { method })).status, 401, method)
    }
  })

  t.test('a request to an unknown host returns 421, even with a token', async t => {
    for (const host of ['east.example.com', `${NORTH}.example.org`, `x${NORTH}`, 'northXexample.com', '127.0.0.1'])
      for (const path of ['/', '/auth/login', '/menu/main'])
        t.equal((await send(url + path, host, { token: ofNorth })).status, 421, host)
  })
})

t.test('tenants: failures of the same username at two tenants count separately in a shared store', async t => {
  const shared = `
    const counts = new Map()
    const store = {
      get: () => null, set() {}, delete() {}, touch() {},
      take(key, limit, ms, id) {
        const ids = counts.get(key) ?? new Set()
        const taken = ids.size < limit
        if (taken) counts.set(key, ids.add(id))
        return { taken, ms }
      },
      giveBack: (key, id) => counts.get(key)?.delete(id)
    }
  `
  const code = readFileSync(new URL('../../../docs/recipes/tenants.js', import.meta.url), 'utf8')
  const changed = shared + code.replace('throttle: {', 'throttle: { store,')
  const login = `${await startCode(t, changed, { NORTH_SECRET, SOUTH_SECRET }).listening()}/auth/login`
  for (let i = 0; i < 10; i++) await send(login, NORTH, { password: 'wrong' })
  t.match((await send(login, NORTH, { password: 'correct horse' })).json.error, /^Too many attempts/)
  t.type((await send(login, SOUTH, { password: BOB.password })).json.token, 'string')
})

t.test('tenants: the server does not start without two different secrets', async t => {
  for (const env of [
    {},
    { NORTH_SECRET },
    { NORTH_SECRET, SOUTH_SECRET: '' },
    { NORTH_SECRET, SOUTH_SECRET: NORTH_SECRET },
    { NORTH_SECRET, SOUTH_SECRET: 'short' }
  ])
    await t.rejects(startRecipe(t, 'tenants.js', env), /without listening/, JSON.stringify(env))
})

t.test('api-keys', async t => {
  const key = randomBytes(32).toString('base64url')
  const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')
  const startWith = (keys: object) => recipe(t, 'api-keys.js', { API_KEYS: JSON.stringify(keys) })
  const url = await startWith({ monitor: digestOf('another'), backup: digestOf(key) }).listening()

  t.test('a key identifies a machine, and the token of a login identifies a person', async t => {
    const caller = `${url}/screen/caller`
    t.match(await jsonOf(caller, key), { title: 'A machine', user_display_name: 'backup' })
    const person = { title: 'A person', user_display_name: 'Ada Lovelace' }
    t.match(await jsonOf(caller, await tokenOf(url)), person)
  })

  t.test('an invalid key is refused, and so is the digest of a valid key', async t => {
    const other = randomBytes(32).toString('base64url')
    for (const token of [digestOf(key), `${key}x`, key.slice(1), 'backup', 'machine:backup', other])
      t.equal(await statusOf(`${url}/screen/caller`, token), 401, token.length.toString())
  })

  t.test('a key is not accepted as a password', async t => {
    t.equal(await tokenOf(url, { username: 'machine:backup', password: key }), null)
  })

  t.test('the server does not start with a malformed digest', async t => {
    for (const wrong of [key, digestOf(key).slice(2)]) {
      const server = startWith({ backup: wrong })
      await t.rejects(server.listening(), /without listening/)
      t.match(server.output, 'API_KEYS: "backup" needs a digest')
      t.notMatch(server.output, key, 'the message does not show the value, which may be the key itself')
    }
  })
})
