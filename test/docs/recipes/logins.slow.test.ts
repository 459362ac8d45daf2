// A third field of the login form: remember-me.js and second-factor.js.
import { TOTP } from 'otpauth'
import t from 'tap'
import { until } from '../../helpers.ts'
import { jsonOf, logIn, post, startRecipe, statusOf, tokenOf } from '../program.ts'

for (const [name, field] of Object.entries({
  'remember-me': { id: 'remember', type: 'Boolean', value: 'false' },
  'second-factor': { id: 'code', type: 'Text', value: '' }
}))
  t.test(`${name}: the form has a third field`, async t => {
    const form = await jsonOf(`${await startRecipe(t, `${name}.js`)}/auth/login`)
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

t.test('second-factor: a code is good for one login, and no older one after it', async t => {
  const url = await startRecipe(t, 'second-factor.js')
  const [older, code, newer] = [codeOf(-1), codeOf(), codeOf(1)]
  t.type(await tokenOf(url, { code }), 'string')
  t.equal(await tokenOf(url, { code }), null, 'again')
  t.equal(await tokenOf(url, { code: older }), null, 'one that is older')
  t.type(await tokenOf(url, { code: newer }), 'string', 'the next one')
})

t.test('second-factor: of logins at the same time only one can use a code', async t => {
  const url = await startRecipe(t, 'second-factor.js')
  const code = codeOf()
  const tokens = await Promise.all(Array.from({ length: 5 }, () => tokenOf(url, { code })))
  t.equal(tokens.filter(token => token !== null).length, 1)
})

t.test('second-factor: all that is wrong looks the same, and uses no code up', async t => {
  const url = await startRecipe(t, 'second-factor.js')
  const code = codeOf()
  for (const fields of [
    { code: wrongCode() },
    { password: 'wrong', code },
    { username: 'unknown', code },
    { code: '' },
    { code: 'ääääää' },
    { code: `${code}0` },
    {}
  ]) {
    const response = await logIn(url, fields)
    t.equal(response.status, 200)
    const error = 'Wrong username, password or code.'
    t.strictSame(await response.json(), { success: false, token: null, error, screen: null })
  }
  t.type(await tokenOf(url, { code }), 'string')
})
