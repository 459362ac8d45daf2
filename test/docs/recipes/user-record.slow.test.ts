import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bearer, until } from '../../helpers.ts'
import { logIn, recipe, tokenOf } from '../program.ts'

const PASSWORDS = { ada: 'correct horse', bob: 'battery staple' }

/** Starts the recipe; it prints each time that a user is read, and the test may change what is read. */
async function start(t: Test, seconds: string) {
  const changed = join(t.testdir({ 'users.json': '{}' }), 'users.json')
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(`
    import { readFileSync } from 'node:fs'
    const { get } = Map.prototype
    Map.prototype.get = function (key) {
      const value = get.call(this, key)
      if (!value?.roles) return value
      process.stdout.write('read ' + key + '\\n')
      const changes = JSON.parse(readFileSync(${JSON.stringify(changed)}))
      if (!(key in changes)) return value
      if (changes[key] === 'down') throw new Error('the database is down')
      return changes[key] ? { ...value, ...changes[key] } : undefined
    }
  `)}`
  const server = recipe(t, 'user-record.js', { CACHE_SECONDS: seconds, NODE_OPTIONS })
  const url = await server.listening()
  const readsOf = (name: string) => server.output.split(`read ${name}\n`).length - 1
  return {
    url,
    change: (users: object) => writeFileSync(changed, JSON.stringify(users)),
    as: (token: string, path: string) => fetch(url + path, { headers: bearer(token) }),
    logIn: (name: keyof typeof PASSWORDS) => tokenOf(url, name, PASSWORDS[name]),
    /** How often a user was read. What the server prints comes in order, so a read of nobody else is the last one. */
    async readsOf(name: string) {
      const before = readsOf('bob')
      await logIn(url, 'bob', 'wrong')
      await until(() => readsOf('bob') > before)
      return readsOf(name)
    }
  }
}

t.test('a hook and a handler of one request share one query', async t => {
  const { logIn, as, readsOf } = await start(t, '0.001')
  const token = await logIn('ada')
  const before = await readsOf('ada')
  const response = await as(token, '/screen/users')
  t.equal(response.status, 200)
  t.strictSame(await response.json(), { layout: 'Card', title: '2 users, says number 7' })
  t.ok((await readsOf('ada')) - before <= 1)
})

t.test('requests that follow each other share one query', async t => {
  const { logIn, as, readsOf } = await start(t, '3600')
  const token = await logIn('ada')
  const before = await readsOf('ada')
  for (let i = 0; i < 5; i++) await (await as(token, '/screen/users')).text()
  // The menu of the login has made it.
  t.equal((await readsOf('ada')) - before, 0)
})

t.test('each user has a record', async t => {
  const { logIn, as } = await start(t, '3600')
  const [ada, bob] = [await logIn('ada'), await logIn('bob')]
  for (const [token, id] of [
    [ada, 7],
    [bob, 8]
  ] as const) {
    t.match(await (await as(token, '/screen/orders')).json(), { title: `Orders of customer ${id}` })
  }
  t.equal((await as(bob, '/screen/users')).status, 403)
})

t.test('the menu, at the login and later, has what the roles allow', async t => {
  const { url, as } = await start(t, '3600')
  for (const [name, labels] of [
    ['ada', ['My orders', 'Users']],
    ['bob', ['My orders']]
  ] as const) {
    // biome-ignore lint/suspicious/noExplicitAny: what is wrong with it fails the test.
    const { token, screen } = (await (await logIn(url, name, PASSWORDS[name])).json()) as any
    // biome-ignore lint/suspicious/noExplicitAny: the same.
    const labelsOf = (screen: any) => screen.menu.tabs[0].items.map((item: { label: string }) => item.label)
    t.strictSame(labelsOf(screen), labels)
    t.strictSame(labelsOf(await (await as(token, '/menu/main')).json()), labels)
  }
})

t.test('a change of the roles holds after a while', async t => {
  const { logIn, as, change } = await start(t, '0.001')
  const token = await logIn('bob')
  t.equal((await as(token, '/screen/users')).status, 403)
  change({ bob: { roles: ['admin'] } })
  await until(async () => (await as(token, '/screen/users')).status === 200)
})

t.test('the session of a user who was removed ends, as the guard ends one', async t => {
  const { logIn, as, change } = await start(t, '0.001')
  const token = await logIn('bob')
  change({ bob: null })
  await until(async () => (await as(token, '/screen/orders')).status !== 200)
  const refusals = [as(`${token}x`, '/screen/orders'), as(token, '/screen/orders'), as(token, '/menu/main')]
  const [expected, ...found] = await Promise.all(
    refusals.map(async promise => {
      const response = await promise
      const { status, headers } = response
      const [challenge, cache] = [headers.get('www-authenticate'), headers.get('cache-control')]
      return { status, challenge, cache, body: await response.text() }
    })
  )
  t.equal(expected?.status, 401)
  t.strictSame(found, [expected, expected])
})

t.test('a database that is down ends no session', async t => {
  const { logIn, as, change } = await start(t, '0.001')
  const token = await logIn('bob')
  change({ bob: 'down' })
  await until(async () => (await as(token, '/screen/orders')).status === 500)
  change({})
  t.equal((await as(token, '/screen/orders')).status, 200)
})
