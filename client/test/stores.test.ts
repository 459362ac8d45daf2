// The stores of a token, and how tabs share it.

import t from 'tap'
import { sharedStore, webStore } from '../index.ts'
import { CARD, ENTERED, empty, formAt, MENU, type Replies, sessionAt, storeIn } from './session-at.ts'

/** A fake `Storage`. */
function storage() {
  const texts = new Map<string, string>()
  return {
    texts,
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => texts.set(key, text),
    removeItem: (key: string) => texts.delete(key)
  }
}

t.test('webStore keeps a text in a Storage of the browser, or in memory if the browser forbids it', async t => {
  const tab = storage()
  const forbidden = () => {
    throw new Error('SecurityError')
  }
  for (const [storage, kept] of [
    [tab, ['key,a']],
    [() => tab, ['key,a']],
    [forbidden, []]
  ] as const) {
    const store = webStore(storage, 'key')
    t.equal(store.read(), null)
    store.write('a')
    t.strictSame([[...tab.texts].map(String), store.read()], [kept, 'a'])
    store.clear()
    t.strictSame([tab.texts.size, store.read()], [0, null])
  }
})

let channels = 0
const memory = () => storeIn({ text: null }, 'text')

/** Two tabs, and the calls of the listener in the second one. */
function tabs() {
  channels += 1
  const share = () => sharedStore(memory(), `tabs-${channels}`)
  const [one, two] = [share(), share()]
  const calls: (string | null)[] = []
  const ends = [one.watch?.(() => {}), two.watch?.(text => calls.push(text))]
  t.teardown(() => {
    for (const end of ends) end?.()
  })
  return { one, two, calls }
}
const messages = () => new Promise(resolve => setTimeout(resolve, 50))

t.test('a tab without a text asks the others, and waits for a limited time', async t => {
  const { one, two, calls } = tabs()
  t.equal(await one.read(), null)
  await one.write('a')
  await messages()
  const three = sharedStore(memory(), `tabs-${channels}`)
  t.equal(await three.read(), 'a')
  t.equal(await three.read(), 'a', 'the text is its own now')
  t.strictSame(calls, ['a'])
  t.equal(await two.read(), 'a')
  const ends = [three.watch?.(() => {}), three.watch?.(() => {})]
  for (const end of ends) end?.()
})

t.test('a tab takes a text only if it has none, and clears its text only if it is the same', async t => {
  const { one, two, calls } = tabs()
  await two.write('b')
  await one.clear()
  await one.write('a')
  await messages()
  t.equal(await two.read(), 'b')
  await one.clear()
  await one.clear()
  await messages()
  t.strictSame([await two.read(), calls], ['b', []])
  t.equal(await one.read(), 'b')
  await one.clear()
  await messages()
  t.strictSame([await two.read(), calls], [null, [null]])
})

t.test('tabs can share a text even if a store fails, and a session works without any store', async t => {
  const fail = () => {
    throw new Error('no')
  }
  for (const deed of [fail, async () => fail()]) {
    channels += 1
    const store = { read: deed, write: deed, clear: deed }
    const broken = sharedStore(store, `tabs-${channels}`)
    const end = broken.watch?.(() => {})
    const other = sharedStore(memory(), `tabs-${channels}`)
    await other.write('a')
    t.equal(await broken.read(), 'a')
    await other.clear()
    await messages()
    t.equal(await broken.read(), null)
    end?.()
    other.watch?.(() => {})()

    const accepted = { success: true, token: 'new', screen: CARD }
    const replies = { 'POST /auth/login': accepted, 'GET /x': 401 }
    const { session, state } = await formAt(replies, { tokens: store, drafts: store })
    await session.submit(ENTERED)
    session.enter('name', 'Eve')
    t.match(state(), { name: 'screen', busy: null, hasChanges: true })
    await session.open('/x')
    t.match(state(), { name: 'login', busy: null, message: { kind: 'info' } })
  }
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

t.test('a login in one tab logs in all tabs, each at its own address, and a logout logs out all', async t => {
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
  t.match(two.state(), { path: '/card' }, 'each tab returns to its own screen')
  await until(() => one.state().name === 'screen')
  t.match(one.state(), { path: '/menu/main' })
})

t.test('a tab in the no-auth mode takes no token, and neither does a stopped session', async t => {
  const [open, stopped, one] = [tab('no-auth', { 'GET /menu/main': MENU }), tab('no-auth'), tab('no-auth')]
  for (const { session } of [open, stopped, one]) await session.start()
  stopped.session.stop()
  await one.session.submit(ENTERED)
  await messages()
  t.match(open.state(), { name: 'screen', isLoggedIn: false })
  t.match(stopped.state(), { name: 'login', isLoggedIn: false })
})

t.test('the session ignores invalid tokens of another tab, and a clear without a token', async t => {
  let notify = (_: string | null) => {}
  const ends: unknown[] = []
  const tokens = {
    ...memory(),
    watch(listener: typeof notify) {
      notify = listener
      return () => ends.push(listener)
    }
  }
  const { session, state, sent, requests } = sessionAt({ 'GET /card': CARD, 'GET /x': () => empty(401) }, { tokens })
  await session.start()
  const first = notify
  await session.start()
  t.strictSame(ends, [first], 'the store is watched once')
  sent()
  for (const text of ['a\nb', '', null]) notify(text)
  t.match([state().name, sent()], ['login', []])
  notify('abc')
  await until(() => state().name === 'screen')
  t.equal(requests.at(-1)?.authorization, 'Bearer abc')
})
