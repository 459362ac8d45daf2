// Where a token is kept, and how tabs share it.

import t from 'tap'
import { sharedStore, webStore } from '../index.ts'
import { CARD, ENTERED, empty, MENU, type Replies, sessionAt, storeIn } from './session-at.ts'

/** A `Storage` of one text. */
function storage() {
  const texts = new Map<string, string>()
  return {
    texts,
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => texts.set(key, text),
    removeItem: (key: string) => texts.delete(key)
  }
}

t.test('a text is kept in a Storage of the browser', async t => {
  const tab = storage()
  for (const store of [webStore(tab, 'key'), webStore(() => tab, 'key')]) {
    store.write('a')
    t.strictSame([[...tab.texts], store.read()], [[['key', 'a']], 'a'])
    store.clear()
    t.strictSame([tab.texts.size, store.read()], [0, null])
  }
})

t.test('where the browser allows no Storage, the text is in memory', async t => {
  const store = webStore(() => {
    throw new Error('SecurityError')
  }, 'key')
  t.equal(store.read(), null)
  store.write('a')
  t.equal(store.read(), 'a')
  store.clear()
  t.equal(store.read(), null)
})

let channels = 0
const memory = () => storeIn({ text: null }, 'text')

/** Two tabs, and what the second one hears. */
function tabs() {
  channels += 1
  const [one, two] = [memory(), memory()].map(store => sharedStore(store, `tabs-${channels}`)) as [
    ReturnType<typeof sharedStore>,
    ReturnType<typeof sharedStore>
  ]
  const heard: (string | null)[] = []
  const ends = [one.watch?.(() => {}), two.watch?.(text => heard.push(text))]
  t.teardown(() => {
    for (const end of ends) end?.()
  })
  return { one, two, heard }
}
const messages = () => new Promise(resolve => setTimeout(resolve, 50))

t.test('a tab that has no text asks the others, and waits only for a while', async t => {
  const { one, two, heard } = tabs()
  t.equal(await one.read(), null)
  await one.write('a')
  await messages()
  const three = sharedStore(memory(), `tabs-${channels}`)
  t.equal(await three.read(), 'a')
  t.equal(await three.read(), 'a', 'it has its own now')
  t.strictSame(heard, ['a'])
  t.equal(await two.read(), 'a')
  const ends = [three.watch?.(() => {}), three.watch?.(() => {})]
  for (const end of ends) end?.()
})

t.test('a text is taken only where there is none, and cleared only where it is the same', async t => {
  const { one, two, heard } = tabs()
  await two.write('b')
  await one.clear()
  await one.write('a')
  await messages()
  t.equal(await two.read(), 'b')
  await one.clear()
  await one.clear()
  await messages()
  t.strictSame([await two.read(), heard], ['b', []])
  t.equal(await one.read(), 'b')
  await one.clear()
  await messages()
  t.strictSame([await two.read(), heard], [null, [null]])
})

t.test('a store that fails is as good as an empty one for the tabs', async t => {
  const fail = () => {
    throw new Error('no')
  }
  channels += 1
  const broken = sharedStore({ read: fail, write: fail, clear: fail }, `tabs-${channels}`)
  const end = broken.watch?.(() => {})
  const other = sharedStore(memory(), `tabs-${channels}`)
  await other.write('a')
  t.equal(await broken.read(), 'a')
  await other.clear()
  await messages()
  t.equal(await broken.read(), null)
  end?.()
  other.watch?.(() => {})()
})

/** A session in a tab of its own. */
function tab(name: string, replies: Replies = {}) {
  const at = sessionAt(replies, { tokens: sharedStore(memory(), name) })
  t.teardown(() => at.session.stop())
  return at
}
const until = async (is: () => boolean) => {
  while (!is()) await new Promise(resolve => setTimeout(resolve, 5))
}

t.test('a login in one tab is one in all, each at its own address, and so is a logout', async t => {
  const [one, two] = [tab('login'), tab('login')]
  await Promise.all([one.session.start(), two.session.start('/card')])
  t.strictSame([one.state().name, two.state().name], ['login', 'login'])
  await one.session.submit(ENTERED)
  await until(() => two.state().name === 'screen')
  t.match(two.state(), { path: '/card', isLoggedIn: true })
  const three = tab('login')
  await three.session.start()
  t.match(three.state(), { name: 'screen', isLoggedIn: true }, 'a new tab is logged in')

  await one.session.logOut()
  for (const { state, requests } of [two, three]) {
    await until(() => state().name === 'login')
    t.match(state(), { isLoggedIn: false, message: { kind: 'info', text: /session has ended/ } })
    t.notOk(requests.some(({ url }) => url.endsWith('/auth/logout')))
  }
  await two.session.submit(ENTERED)
  t.match(two.state(), { path: '/card' }, 'and each comes back to where it was')
  await until(() => one.state().name === 'screen')
  t.match(one.state(), { path: '/menu/main' })
})

t.test('a tab without a login takes no token, and one that was stopped hears nothing', async t => {
  const [open, stopped, one] = [tab('no-auth', { 'GET /menu/main': MENU }), tab('no-auth'), tab('no-auth')]
  for (const { session } of [open, stopped, one]) await session.start()
  stopped.session.stop()
  await one.session.submit(ENTERED)
  await messages()
  t.match(open.state(), { name: 'screen', isLoggedIn: false })
  t.match(stopped.state(), { name: 'login', isLoggedIn: false })
})

t.test('what another tab writes must be a token, and what it clears must have been one', async t => {
  let tell = (_: string | null) => {}
  const ends: unknown[] = []
  const tokens = {
    ...memory(),
    watch(listener: typeof tell) {
      tell = listener
      return () => ends.push(listener)
    }
  }
  const { session, state, sent, requests } = sessionAt({ 'GET /card': CARD, 'GET /x': () => empty(401) }, { tokens })
  await session.start()
  const first = tell
  await session.start()
  t.strictSame(ends, [first], 'it is watched once')
  sent()
  for (const text of ['a\nb', '', null]) tell(text)
  t.match([state().name, sent()], ['login', []])
  tell('abc')
  await until(() => state().name === 'screen')
  t.equal(requests.at(-1)?.authorization, 'Bearer abc')
})
