// The facts about the requests of a client, and the responses of the scripted server.
import t from 'tap'
import { factsOf } from '../../watch/facts.ts'
import type { Scenario } from '../../watch/scenarios.ts'
import { ScriptedServer } from '../../watch/scripted-server.ts'

const entered = { username: 'ada', password: 'correct horse' }

/** Creates a scripted server, and returns functions that send requests to it and tell their facts. */
function play(scenario: Scenario, person = entered) {
  const server = new ScriptedServer(scenario, () => 0)
  const handle = (method: string, path: string, headers = {}, body: unknown = '') => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    return server.handle({ method, path, headers, body: bytes })
  }
  const send = (...message: Parameters<typeof handle>) => {
    const { request, response } = handle(...message)
    server.responded(request)
    return response as { status: number; body: { token: string } }
  }
  const logIn = () => send('POST', server.authAction, {}, { fields: person }).body
  const factsAbout = (...message: Parameters<typeof handle>) => {
    send(...message)
    return factsOf(server.requests, person, []).at(-1)
  }
  return { server, handle, send, logIn, factsAbout }
}

t.test('a token or a password is found in every encoding and in every place', async t => {
  const { logIn, factsAbout } = play('login')
  const { token } = logIn()
  // test/reports.test.ts has the other encodings.
  const spellings: ((text: string) => string)[] = [
    text => text,
    text => encodeURIComponent(btoa(text)),
    text => String(new URLSearchParams({ t: text }))
  ]
  const places: Record<string, (text: string) => [path: string, headers: object, body: string]> = {
    'the URL': text => [`/screen/first?t=${text}`, {}, ''],
    'the header sec-websocket-protocol': text => ['/x', { 'sec-websocket-protocol': `bearer, ${text}` }, ''],
    'the URL and the body': text => [`/x?t=${text}`, {}, `{"t":"${text}"}`]
  }
  const secrets = { [token]: 'tokenIn', [token.slice(10, 40)]: 'tokenIn', [entered.password]: 'passwordIn' } as const
  for (const [secret, fact] of Object.entries(secrets))
    for (const [place, put] of Object.entries(places))
      for (const spell of spellings) t.equal(factsAbout('POST', ...put(spell(secret)))?.[fact], place, String(spell))
})

t.test('the username is found in the query of auth_action if it is a value there', async t => {
  const { server, logIn, factsAbout } = play('login')
  logIn()
  const isFound = (query: string) => factsAbout('GET', server.authAction + query)?.usernameInQuery
  for (const query of ['?u=ada', '?ada', '?x=1&u=%61da', '?u=%2561da']) t.equal(isFound(query), true, query)
  for (const query of ['', '?', '?u=', '?ada=1', '?city=Grenada', '?_=17']) t.equal(isFound(query), false, query)
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
