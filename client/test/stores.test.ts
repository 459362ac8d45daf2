// The stores of a token, and how tabs share it.

import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { sharedStore, webStore } from '../index.ts'
import { CARD, ENTERED, FORM, MENU } from './fixtures.ts'
import { empty, formAt, type Replies, sessionAt, storeIn } from './session-at.ts'

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
    if (storage !== forbidden) {
      tab.texts.clear()
      t.equal(store.read(), null, 'another tab has cleared the storage')
    }
    store.write('b')
    store.clear()
    t.strictSame([tab.texts.size, store.read()], [0, null])
  }
})

let channels = 0
const memory = (text: string | null = null) => storeIn({ text }, 'text')
const messages = () => new Promise(resolve => setTimeout(resolve, 50))

/** Functions that create tabs with a `localStorage`. A tab may have a text from before. */
function browser(t: Test) {
  channels += 1
  const name = `tabs-${channels}`
  t.intercept(globalThis as never, 'localStorage', { value: storage() })
  return (text: string | null = null) => {
    const own = { text }
    return { own, ...sharedStore(storeIn(own, 'text'), name) }
  }
}

t.test('a change in one tab replaces the text of all tabs, and the last change wins', async t => {
  const tab = browser(t)
  // The clock was ahead when this text was written.
  const [one, two] = [tab('[9e12,"x"]'), tab('[9e12,"x"]')]
  const calls: (string | null)[] = []
  const end = two.watch?.(text => calls.push(text))
  t.strictSame([await one.read(), await two.read()], ['x', 'x'])
  for (const [change, text] of [
    [() => one.write('a'), 'a'],
    [() => Promise.all([two.write('b'), one.write('c'), two.write('d')]), /^[cd]$/],
    [() => one.write('e'), 'e'],
    [() => one.clear(), null],
    [() => one.clear(), null],
    [() => one.write('f'), 'f']
  ] as const) {
    await change()
    await messages()
    const texts = [await one.read(), await two.read(), await tab(two.own.text).read()]
    t.match(texts, [text, texts[0], texts[0]], 'also after a reload')
    const stored = texts[0] && `"${texts[0]}"`
    t.match([one.own.text, two.own.text], [stored, stored], 'each tab has stored it')
  }
  t.strictSame([calls[0], ...calls.slice(-3)], ['a', 'e', null, 'f'])
  end?.()
  await one.write('g')
  await messages()
  t.equal(calls.at(-1), 'f')
  const posted = t.capture(BroadcastChannel.prototype, 'postMessage')
  t.equal(await tab(one.own.text).read(), 'g')
  t.strictSame(posted(), [], 'a reload asks no other tab')
})

t.test('a tab without a text, or with an outdated text, asks the others, and waits for a limited time', async t => {
  const tab = browser(t)
  const one = tab()
  t.equal(await one.read(), null)
  await one.write('a')
  await messages()
  const before = one.own.text
  // The time to wait does not end. Channels and mocked timers do not keep the process alive, so an interval does.
  mock.timers.enable({ apis: ['setTimeout'] })
  const interval = setInterval(() => {}, 1_000)
  for (const text of [before, null, 'x', '["x"]', '[1,"x"]']) t.equal(await tab(text).read(), 'a')
  t.strictSame(await Promise.all([tab().read(), tab().read()]), ['a', 'a'])
  mock.timers.reset()
  clearInterval(interval)
  const two = tab(before)
  await two.read()
  await two.write('b')
  await messages()
  t.equal(await tab(before).read(), 'b', 'this tab was away')
  const three = tab(before)
  await three.clear()
  await until(() => three.own.text !== null)
  t.match(three.own.text, '"b"', 'a clear does not end a newer text')
  await two.clear()
  t.equal(await tab(before).read(), null)
})

t.test('tabs that all have outdated texts do not reply to each other without end', async t => {
  const tab = browser(t)
  const [one] = [tab(), tab()]
  await one.write('a')
  await messages()
  const { texts } = (globalThis as unknown as { localStorage: ReturnType<typeof storage> }).localStorage
  texts.set(`tabs-${channels} version`, '9e15')
  const posted = t.capture(BroadcastChannel.prototype, 'postMessage', BroadcastChannel.prototype.postMessage)
  t.equal(await tab().read(), null)
  t.equal(posted().length, 3, 'a request and two replies')
  t.equal(await one.read(), null, 'the text of a tab that missed a change is dropped')
})

t.test('tabs can share a text even if a store fails, and a session works without any store', async t => {
  const fail = () => {
    throw new Error('no')
  }
  for (const deed of [fail, async () => fail()]) {
    channels += 1
    const store = { read: deed, write: deed, clear: deed }
    const broken = sharedStore(store, `tabs-${channels}`)
    const other = sharedStore(memory(), `tabs-${channels}`)
    await other.write('a')
    t.equal(await broken.read(), 'a')
    await other.clear()
    await messages()
    t.equal(await broken.read(), null)
    const alone = sharedStore(store, `alone-${channels}`)
    await t.rejects(alone.write('a') as Promise<unknown>)
    t.equal(await alone.read(), 'a')

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

t.test('a change of user in one tab changes all tabs, without what the previous user has typed or seen', async t => {
  const switching = { ...FORM, auth_action: '/switch' }
  const accepted = { success: true, token: 'eve', screen: MENU }
  const replies = { 'GET /switch': switching, 'POST /switch': accepted, 'GET /late': () => late }
  let end = (_: Response) => {}
  const late = new Promise<Response>(resolve => (end = resolve))
  const [one, two] = [tab('switch', replies), tab('switch', replies)]
  await one.session.start('/switch')
  await one.session.submit(ENTERED)
  await two.session.start('/card')
  two.session.enter('city', 'Paris')
  const opened = two.session.open('/late')
  await one.session.submit({ username: 'eve', password: 'x' })
  await until(() => two.state().name === 'screen' && two.state().path === '/menu/main')
  t.equal(two.requests.at(-1)?.authorization, 'Bearer eve')
  t.match([two.store.draft, two.session.state.message], [null, { text: 'Unsaved changes were lost.' }])
  end(empty(401))
  await opened
  t.match(two.state(), { name: 'screen', isLoggedIn: true }, 'a late 401 for the old token')
  await one.session.logOut()
  await until(() => two.state().name === 'login')
  t.equal(two.state().values.get('username'), '')
})

t.test('a session that starts again with the token of another user drops the name and the menu', async t => {
  const table = { token: 'abc\nusername=ada', draft: null }
  const { session, state } = sessionAt({ 'GET /menu/main': () => menu }, { tokens: storeIn(table, 'token') })
  let menu = Response.json(MENU)
  await session.start()
  t.equal(state().displayName, 'Ada')
  table.token = 'eve\nusername=eve'
  menu = empty(503)
  await session.start()
  t.match([state().name, state().displayName, session.menu], ['failed', '', null])
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
  for (const text of ['a\rb', '', null]) notify(text)
  await messages()
  t.strictSame([state().name, sent()], ['login', []])
  let respond = (_: string | null) => {}
  tokens.read = () => new Promise(resolve => (respond = resolve))
  const restarted = session.start()
  notify('abc')
  await until(() => state().name === 'screen')
  respond(null)
  await restarted
  t.equal(requests.at(-1)?.authorization, 'Bearer abc')
})
