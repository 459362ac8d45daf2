// The facts about the requests of a client, and the responses of the scripted server.
import t from 'tap'
import { factsOf } from '../../client/facts.ts'
import type { Scenario } from '../../client/scenarios.ts'
import { ScriptedServer } from '../../client/scripted-server.ts'

const entered = { username: 'ada', password: 'correct horse' }

/** Creates a scripted server, and returns functions that send requests to it and return the facts about them. */
function play(scenario: Scenario, person = entered) {
  let time = 0
  const server = new ScriptedServer(scenario, () => time++)
  const handle = (method: string, path: string, headers: Record<string, string> = {}, body: unknown = '') => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    return server.handle({ method, path, headers, body: bytes })
  }
  const send = (...message: Parameters<typeof handle>) => {
    const { request, response } = handle(...message)
    server.responded(request)
    return response as { status: number; body: { token: string } }
  }
  const logIn = (headers = {}) => send('POST', server.authAction, headers, { fields: person }).body
  const facts = () => factsOf(server.requests, person, [])
  return { server, handle, send, logIn, facts }
}

t.test('a token or a password is found in every encoding', async t => {
  const { send, logIn, facts } = play('login')
  send('GET', '/menu/main')
  const { token } = logIn()
  const hex = (byte: number) => byte.toString(16).padStart(2, '0')
  const spellings: [string, (text: string) => string][] = [
    ['as it is', text => text],
    ['percent-encoded where it must be', encodeURIComponent],
    ['percent-encoded throughout', text => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
    ['in capitals', text => [...Buffer.from(text)].map(byte => `%${hex(byte).toUpperCase()}`).join('')],
    ['twice', text => encodeURIComponent(encodeURIComponent(text))],
    ['as a form', text => String(new URLSearchParams({ t: text }))],
    ['in Base64', btoa],
    ['in Base64, percent-encoded', text => encodeURIComponent(btoa(text))],
    ['in Base64url', text => Buffer.from(text).toString('base64url')],
    ['in hexadecimal', text => Buffer.from(text).toString('hex')],
    ['escaped as in JSON', text => text.replace(/./g, one => `\\u00${hex(one.charCodeAt(0))}`)],
    ['with escaped slashes', text => text.replaceAll('/', '\\/')]
  ]
  const places: [string, (text: string) => [string, Record<string, string>, string]][] = [
    ['the URL', text => [`/x/${text}`, {}, '']],
    ['the URL', text => [`/screen/first?t=${text}`, {}, '']],
    ['the header cookie', text => ['/x', { cookie: `a=b; t=${text}` }, '']],
    ['the header x-any', text => ['/x', { 'x-any': text }, '']],
    ['the header sec-websocket-protocol', text => ['/x', { 'sec-websocket-protocol': `bearer, ${text}` }, '']],
    ['the body', text => ['/x', {}, `{"t":"${text}"}`]]
  ]
  const secrets: [string, 'tokenIn' | 'passwordIn'][] = [
    [token, 'tokenIn'],
    [token.slice(10, 40), 'tokenIn'],
    [entered.password, 'passwordIn']
  ]
  const sent: ['tokenIn' | 'passwordIn', string, string][] = []
  for (const [secret, fact] of secrets) {
    for (const [spelling, write] of spellings) {
      for (const [place, put] of places) {
        const [path, headers, body] = put(write(secret))
        send('POST', path, { ...headers, authorization: `Bearer ${token}` }, body)
        sent.push([fact, place, spelling])
      }
    }
  }
  send('POST', '/x?a=b', { authorization: `Bearer ${token}`, cookie: 'a=b' }, { changes: {} })
  const found = facts()
  for (const [index, [fact, place, spelling]] of sent.entries()) t.equal(found[index + 2]?.[fact], place, spelling)
  t.match(found.at(-1), { tokenIn: undefined, passwordIn: undefined })
})

t.test('a password with a plus sign is found in a form, and one that is not ASCII in a header', async t => {
  const odd = { username: 'ada', password: 'Zoë + Ülkü ' }
  const { send, logIn, facts } = play('login', odd)
  logIn()
  send('POST', '/log', {}, String(new URLSearchParams(odd)))
  send('GET', '/x', { 'x-password': Buffer.from(odd.password).toString('latin1').trim() })
  t.match(facts().slice(1), [{ passwordIn: 'the body' }, { passwordIn: 'the header x-password' }])
})

t.test('tokens are found in any header, passwords in any header but the standard ones', async t => {
  const { send, logIn, facts } = play('login')
  const { token } = logIn()
  send('GET', '/x', { 'user-agent': `app/1 ${token}` })
  send('GET', '/x', { 'user-agent': entered.password })
  t.match(facts().slice(1), [{ tokenIn: 'the header user-agent' }, { tokenIn: undefined, passwordIn: undefined }])
})

t.test('the username is found in the query of auth_action if it is a value there', async t => {
  const { server, send, logIn, facts } = play('login')
  logIn()
  const isFound = (query: string) => {
    send('GET', server.authAction + query)
    return facts().at(-1)?.usernameInQuery
  }
  for (const query of ['?u=ada', '?ada', '?x=1&u=%61da', '?u=%2561da']) t.equal(isFound(query), true, query)
  for (const query of ['', '?', '?u=', '?ada=1', '?city=Grenada', '?_=17']) t.equal(isFound(query), false, query)
  send('GET', '/screen/first?of=ada')
  t.equal(facts().at(-1)?.usernameInQuery, false, 'the query of a screen may contain a username')
})

t.test('Authorization headers are classified', async t => {
  const { send, logIn, facts } = play('login')
  const kind = (authorization: string) => {
    send('GET', '/menu/main', { authorization })
    return facts().at(-1)?.authorization
  }
  t.equal(kind('Bearer left-over'), 'stored')
  t.equal(kind('Bearer left-over'), 'refused')
  for (const empty of [
    '',
    'Bearer',
    'Bearer ',
    'bearer null',
    'Bearer undefined',
    'Bearer [object Object]',
    'Bearer ""'
  ]) {
    t.equal(kind(empty), 'empty', empty)
  }
  for (const bad of ['abc', 'Basic YTpi', 'Bearer: abc', 'Bearer a b', 'Bearer a, Bearer a']) {
    t.equal(kind(bad), 'malformed', bad)
  }
  t.equal(kind('Bearer made-up'), 'other')
  const { token } = logIn()
  t.equal(kind(`bEARER  ${token}`), 'current')
  t.equal(facts().at(-1)?.session, 'open')
  send('GET', '/auth/login')
  send('GET', '/menu/main')
  t.equal(facts().at(-1)?.session, 'left')
  t.equal(kind(`Bearer ${token}`), 'refused')
  t.equal(facts().at(-1)?.session, 'ended')
})

t.test('an empty username or password is rejected', async t => {
  for (const empty of [{ username: '' }, { password: '' }])
    t.match(play('login', { ...entered, ...empty }).logIn(), { success: false, token: null })
})

t.test('a late 401 to a request of the previous session does not end the new session', async t => {
  const { server, handle, send, logIn } = play('login')
  const late = handle('GET', '/screen/first').request
  const { token } = logIn()
  server.responded(late)
  t.equal(send('GET', '/screen/first', { authorization: `Bearer ${token}` }).status, 200)
})
