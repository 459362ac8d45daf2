// Who the user is: user-record.js, tenants.js and api-keys.js.
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../../helpers.ts'
import { jsonOf, logIn, preload, recipe, request, startRecipe, statusOf, tokenOf } from '../program.ts'

const BOB = { username: 'bob', password: 'battery staple' }

/** Starts user-record.js; it prints each time that a user is read, and the test may change what is read. */
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
    /** How often ada was read. What the server prints comes in order, so after a read of bob it has printed all. */
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

t.test('user-record: requests that follow each other share one query', async t => {
  const { url, reads } = await startWithRecords(t, '3600')
  const token = await tokenOf(url)
  const before = await reads()
  for (let i = 0; i < 5; i++) t.equal(await statusOf(`${url}/screen/orders`, token), 200)
  t.equal((await reads()) - before, 1)
})

t.test('user-record: each user has a record', async t => {
  const url = await startRecipe(t, 'user-record.js')
  for (const [id, fields] of [[7], [8, BOB]] as const) {
    const { title } = await jsonOf(`${url}/screen/orders`, await tokenOf(url, fields))
    t.equal(title, `Orders of customer ${id}`)
  }
})

t.test('user-record: a change holds after a while', async t => {
  const { url, change } = await startWithRecords(t, '0.001')
  const token = await tokenOf(url, BOB)
  change({ bob: { id: 9 } })
  await until(async () => (await jsonOf(`${url}/screen/orders`, token)).title === 'Orders of customer 9')
})

t.test('user-record: the session of a user who was removed ends, as the guard ends one', async t => {
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

t.test('tenants', async t => {
  const url = await startRecipe(t, 'tenants.js', { NORTH_SECRET, SOUTH_SECRET })
  const [north, south] = [`${url}/north`, `${url}/south`]
  const [ofNorth, ofSouth] = [await tokenOf(north), await tokenOf(south, { password: BOB.password })]

  t.test('the token of one tenant is a 401 at the other', async t => {
    for (const path of ['/screen/profile', '/menu/main']) {
      const tenants = [north + path, south + path] as const
      t.strictSame(await Promise.all(tenants.map(url => statusOf(url, ofNorth))), [200, 401])
      t.strictSame(await Promise.all(tenants.map(url => statusOf(url, ofSouth))), [401, 200])
      t.equal(await statusOf(tenants[0]), 401)
    }
  })

  t.test('an unknown path is a 401 at a tenant, and a 404 with its token, or outside of both', async t => {
    t.equal(await statusOf(`${north}/unknown`), 401)
    t.equal(await statusOf(`${south}/unknown`, ofNorth), 401)
    t.equal(await statusOf(`${north}/unknown`, ofNorth), 404)
    for (const path of ['/', '/auth/login', '/menu/main', '/east/menu/main'])
      for (const token of [null, ofNorth]) t.equal(await statusOf(url + path, token), 404, path)
  })
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

  t.test('a key is a machine, and the token of a login is a person', async t => {
    const caller = `${url}/screen/caller`
    t.match(await jsonOf(caller, key), { title: 'A machine', user_display_name: 'backup' })
    const person = { title: 'A person', user_display_name: 'Ada Lovelace' }
    t.match(await jsonOf(caller, await tokenOf(url)), person)
  })

  t.test('what is no key is refused, the digest of one too', async t => {
    const other = randomBytes(32).toString('base64url')
    for (const token of [digestOf(key), `${key}x`, key.slice(1), 'backup', 'machine:backup', other])
      t.equal(await statusOf(`${url}/screen/caller`, token), 401, token.length.toString())
  })

  t.test('a key opens no session', async t => {
    t.equal(await tokenOf(url, { username: 'machine:backup', password: key }), null)
  })

  t.test('a server with a digest that cannot be right does not start', async t => {
    for (const wrong of [key, digestOf(key).slice(2)]) {
      const server = startWith({ backup: wrong })
      await t.rejects(server.listening(), /without listening/)
      t.match(server.output, 'API_KEYS: "backup" needs a digest')
      t.notMatch(server.output, key, 'the message does not show it: somebody may have set the key itself')
    }
  })
})
