// Logins with more than a password: remember-me.js and second-factor.js.
import { once } from 'node:events'
import http from 'node:http'
import { json } from 'node:stream/consumers'
import { TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import type { Json } from '../../examples/process.ts'
import { bearer, until } from '../../helpers.ts'
import { jsonOf, post, startRecipe, statusOf, tokenOf } from '../program.ts'

t.test('remember-me: the login form has a third field, remember', async t => {
  const form = await jsonOf(`${await startRecipe(t, 'remember-me.js')}/auth/login`)
  const field = { id: 'remember', type: 'Boolean', value: 'false' }
  t.match(form.sections[0].fields, [{ id: 'username' }, { id: 'password' }, field])
})

t.test('remember-me: a remembered session outlasts the other sessions', async t => {
  const url = await startRecipe(t, 'remember-me.js', { SESSION_SECONDS: '1' })
  const remembered = await tokenOf(url, { remember: 'true' })
  const others = [await tokenOf(url, { remember: 'false' }), await tokenOf(url)]
  for (const token of others) await until(async () => (await statusOf(`${url}/menu/main`, token)) === 401)
  t.equal(await statusOf(`${url}/menu/main`, remembered), 200)
})

t.test('remember-me: both kinds of sessions open the menu and end with a logout', async t => {
  const url = await startRecipe(t, 'remember-me.js')
  for (const remember of ['true', 'false']) {
    const token = await tokenOf(url, { remember })
    t.equal(await statusOf(`${url}/menu/main`, token), 200)
    t.equal((await post(`${url}/auth/logout`, {}, token)).status, 204)
    t.equal(await statusOf(`${url}/menu/main`, token), 401)
  }
})

const totp = new TOTP({ secret: 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U' })

/** Returns the code of the current half minute, or of one before or after it. */
const codeOf = (periods = 0) => totp.generate({ timestamp: Date.now() + periods * totp.period * 1000 })

/** Returns a code that stays wrong while a test runs. */
function wrongCode(): string {
  const right = Array.from({ length: 9 }, (_, index) => codeOf(index - 4))
  const codes = Array.from({ length: 10 }, (_, digit) => `${digit}`.repeat(6))
  return codes.find(code => !right.includes(code)) as string
}

const LOGIN = { fields: { username: 'ada', password: 'correct horse' } }

/** Posts JSON from an address of this machine, and returns the body of the response. */
async function postFrom(localAddress: string, url: string, body: object, token?: string): Promise<Json> {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : bearer(token)) }
  const sent = http.request(url, { localAddress, method: 'POST', headers }).end(JSON.stringify(body))
  const [response] = await once(sent, 'response')
  return json(response)
}

const CARD = { layout: 'Card', title: 'Enter the code', user_display_name: 'Ada Lovelace' }

async function startWithCodes(t: Test) {
  const url = await startRecipe(t, 'second-factor.js')
  /** Enters a code, and returns the status of the next screen. */
  const enter = async (token: string, code: unknown) => {
    const response = await post(`${url}/screen/code`, { changes: { code } }, token)
    return ((await response.json()) as Json).status
  }
  t.match(await jsonOf(`${url}/menu/main`, await tokenOf(url)), CARD)
  const titleOf = async (token: string, path = '/menu/main') => (await jsonOf(url + path, token)).title
  return { url, enter, titleOf }
}

t.test('second-factor: every screen is the Card for the code until a valid code is entered', async t => {
  const { url, enter, titleOf } = await startWithCodes(t)
  const passed = await tokenOf(url)
  t.equal(await enter(passed, codeOf()), 'Welcome.')
  t.equal(await titleOf(passed), 'Main Menu')
  // Clients send the old token with a new login.
  const response = await post(`${url}/auth/login`, LOGIN, passed)
  const { token, screen }: Json = await response.json()
  t.match(screen, CARD)
  for (const path of ['/menu/main', '/screen/code', '/unknown', '/menu/main?code=1', '/auth/logout'])
    t.equal(await titleOf(token, path), CARD.title, path)
  t.equal((await post(`${url}/menu/main`, {}, token)).status, 403)
  t.equal((await post(`${url}/auth/logout`, {}, token)).status, 204)
  t.equal(await statusOf(`${url}/menu/main`, token), 401)
})

t.test('second-factor: a code is accepted once, and older codes are rejected after it', async t => {
  const { url, enter } = await startWithCodes(t)
  const [first, second] = [await tokenOf(url), await tokenOf(url)]
  const [older, code, newer] = [codeOf(-1), codeOf(), codeOf(1)]
  t.equal(await enter(first, code), 'Welcome.')
  for (const wrong of [code, older]) t.equal(await enter(second, wrong), 'Error: The code is wrong.')
  t.equal(await enter(second, newer), 'Welcome.')
})

t.test('second-factor: only one of several concurrent sessions can use a code', async t => {
  const { url, enter, titleOf } = await startWithCodes(t)
  const tokens = await Promise.all(Array.from({ length: 5 }, () => tokenOf(url)))
  const code = codeOf()
  await Promise.all(tokens.map(token => enter(token, code)))
  const titles = await Promise.all(tokens.map(token => titleOf(token)))
  t.strictSame(titles.sort(), [...Array(4).fill(CARD.title), 'Main Menu'])
})

t.test('second-factor: a code is not accepted as password or vice versa, and wrong input uses up no code', async t => {
  const { url, enter, titleOf } = await startWithCodes(t)
  const [token, code] = [await tokenOf(url), codeOf()]
  for (const fields of [{ password: code }, { password: code, code }, { password: 'wrong', code }])
    t.equal(await tokenOf(url, fields), null)
  for (const wrong of ['correct horse', wrongCode(), '', 'ääääää', `${code}0`, ` ${code}`, undefined])
    t.match(await enter(token, wrong), /^Error: /)
  for (const body of [null, [], {}, { changes: { code: { a: code } } }, { changes: [code] }])
    t.equal((await post(`${url}/screen/code`, body, token)).status, 400)
  t.equal((await post(`${url}/screen/code`, { changes: { code } })).status, 401, 'without a session')
  t.equal(await titleOf(token), CARD.title)
  t.equal(await enter(token, code), 'Welcome.')
})

t.test('second-factor: further logins and addresses allow no further guesses of the code', async t => {
  const { url } = await startWithCodes(t)
  const enterFrom = async (localAddress: string, code: string) => {
    const { token } = await postFrom(localAddress, `${url}/auth/login`, LOGIN)
    return (await postFrom(localAddress, `${url}/screen/code`, { changes: { code } }, token)).status
  }
  for (let i = 0; i < 10; i++) t.equal(await enterFrom(`127.0.1.${i % 2}`, wrongCode()), 'Error: The code is wrong.')
  t.equal(await enterFrom('127.0.1.2', codeOf()), 'Error: Too many codes. Try again in an hour.')
})
