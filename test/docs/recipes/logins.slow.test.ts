// More than a password at the login: remember-me.js and second-factor.js.
import { TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import type { Json } from '../../examples/process.ts'
import { until } from '../../helpers.ts'
import { jsonOf, post, startRecipe, statusOf, tokenOf } from '../program.ts'

t.test('remember-me: the form has a third field', async t => {
  const form = await jsonOf(`${await startRecipe(t, 'remember-me.js')}/auth/login`)
  const field = { id: 'remember', type: 'Boolean', value: 'false' }
  t.match(form.sections[0].fields, [{ id: 'username' }, { id: 'password' }, field])
})

t.test('remember-me: a session that was asked for lives on when the others have ended', async t => {
  const url = await startRecipe(t, 'remember-me.js', { SESSION_SECONDS: '1' })
  const remembered = await tokenOf(url, { remember: 'true' })
  const others = [await tokenOf(url, { remember: 'false' }), await tokenOf(url)]
  for (const token of others) await until(async () => (await statusOf(`${url}/menu/main`, token)) === 401)
  t.equal(await statusOf(`${url}/menu/main`, remembered), 200)
})

t.test('remember-me: both kinds of sessions open the menu, and a logout ends them', async t => {
  const url = await startRecipe(t, 'remember-me.js')
  for (const remember of ['true', 'false']) {
    const token = await tokenOf(url, { remember })
    t.equal(await statusOf(`${url}/menu/main`, token), 200)
    t.equal((await post(`${url}/auth/logout`, {}, token)).status, 204)
    t.equal(await statusOf(`${url}/menu/main`, token), 401)
  }
})

const totp = new TOTP({ secret: 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U' })

/** The code of this half a minute, or of one before or after it. */
const codeOf = (periods = 0) => totp.generate({ timestamp: Date.now() + periods * totp.period * 1000 })

/** A code that is none of those that may be right while a test runs. */
function wrongCode(): string {
  const right = Array.from({ length: 9 }, (_, index) => codeOf(index - 4))
  const codes = Array.from({ length: 10 }, (_, digit) => `${digit}`.repeat(6))
  return codes.find(code => !right.includes(code)) as string
}

const CARD = { layout: 'Card', title: 'Enter the code', user_display_name: 'Ada Lovelace' }

async function startWithCodes(t: Test) {
  const url = await startRecipe(t, 'second-factor.js')
  /** What is wrong with a code; without a word the session has passed. */
  const enter = async (token: string, code: unknown) => {
    const response = await post(`${url}/screen/code`, { changes: { code } }, token)
    return ((await response.json()) as Json).status
  }
  t.match(await jsonOf(`${url}/menu/main`, await tokenOf(url)), CARD)
  const titleOf = async (token: string, path = '/menu/main') => (await jsonOf(url + path, token)).title
  return { url, enter, titleOf }
}

t.test('second-factor: until the code every screen is the Card that asks for it', async t => {
  const { url, enter, titleOf } = await startWithCodes(t)
  const passed = await tokenOf(url)
  t.equal(await enter(passed, codeOf()), 'Welcome.')
  t.equal(await titleOf(passed), 'Main Menu')
  // With the old token, as clients send it.
  const response = await post(`${url}/auth/login`, { fields: { username: 'ada', password: 'correct horse' } }, passed)
  const { token, screen }: Json = await response.json()
  t.match(screen, CARD)
  for (const path of ['/menu/main', '/screen/code', '/unknown', '/menu/main?code=1', '/auth/logout'])
    t.equal(await titleOf(token, path), CARD.title, path)
  t.equal((await post(`${url}/menu/main`, {}, token)).status, 403)
  t.equal((await post(`${url}/auth/logout`, {}, token)).status, 204)
  t.equal(await statusOf(`${url}/menu/main`, token), 401)
})

t.test('second-factor: a code is good for one session, and no older one after it', async t => {
  const { url, enter } = await startWithCodes(t)
  const [first, second] = [await tokenOf(url), await tokenOf(url)]
  const [older, code, newer] = [codeOf(-1), codeOf(), codeOf(1)]
  t.equal(await enter(first, code), 'Welcome.')
  for (const wrong of [code, older]) t.equal(await enter(second, wrong), 'Error: The code is wrong.')
  t.equal(await enter(second, newer), 'Welcome.')
})

t.test('second-factor: of sessions at the same time only one can use a code', async t => {
  const { url, enter, titleOf } = await startWithCodes(t)
  const tokens = await Promise.all(Array.from({ length: 5 }, () => tokenOf(url)))
  const code = codeOf()
  await Promise.all(tokens.map(token => enter(token, code)))
  const titles = await Promise.all(tokens.map(token => titleOf(token)))
  t.strictSame(titles.sort(), [...Array(4).fill(CARD.title), 'Main Menu'])
})

t.test('second-factor: a code is no password, a password is no code, and what is wrong uses no code up', async t => {
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

t.test('second-factor: the right password allows no more guesses of the code', async t => {
  const { url, enter } = await startWithCodes(t)
  for (let i = 0; i < 10; i++) t.equal(await enter(await tokenOf(url), wrongCode()), 'Error: The code is wrong.')
  t.match(await enter(await tokenOf(url), codeOf()), 'Error: Too many codes. Try again in an hour.')
})
