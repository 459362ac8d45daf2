import { TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import { startRecipe } from '../program.ts'

const totp = new TOTP({ secret: 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U' })

/** The code of this half a minute, or of one before or after it. */
const codeOf = (periods = 0) => totp.generate({ timestamp: Date.now() + periods * totp.period * 1000 })

/** A code that is none of those that may be right while a test runs. */
function wrongCode(): string {
  const right = Array.from({ length: 9 }, (_, index) => codeOf(index - 4))
  return Array.from({ length: 10 }, (_, digit) => `${digit}`.repeat(6)).find(
    code => !right.includes(code)
  ) as string
}

async function start(t: Test) {
  const url = await startRecipe(t, 'second-factor.js')
  return async (fields: Record<string, string>) => {
    const response = await fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fields: { username: 'ada', password: 'correct horse', ...fields } })
    })
    return { status: response.status, body: await response.text() }
  }
}

const isAccepted = ({ body }: { body: string }) => JSON.parse(body).success

t.test('the form asks for a code as its third field', async t => {
  const url = await startRecipe(t, 'second-factor.js')
  const form = (await (await fetch(`${url}/auth/login`)).json()) as {
    sections: [{ fields: object[] }]
  }
  t.match(form.sections[0].fields, [
    { id: 'username' },
    { id: 'password' },
    { id: 'code', type: 'Text', value: '' }
  ])
})

t.test('a code is good for one login, and no older one after it', async t => {
  const logIn = await start(t)
  const [older, code, newer] = [codeOf(-1), codeOf(), codeOf(1)]
  t.ok(isAccepted(await logIn({ code })))
  t.notOk(isAccepted(await logIn({ code })), 'again')
  t.notOk(isAccepted(await logIn({ code: older })), 'one that is older')
  t.ok(isAccepted(await logIn({ code: newer })), 'the next one')
})

t.test('of logins at the same time only one can use a code', async t => {
  const logIn = await start(t)
  const code = codeOf()
  const logins = await Promise.all(Array.from({ length: 5 }, () => logIn({ code })))
  t.equal(logins.filter(isAccepted).length, 1)
})

t.test('a wrong password, a wrong code and whatever else look the same, and use no code up', async t => {
  const logIn = await start(t)
  const code = codeOf()
  const wrong = await logIn({ code: wrongCode() })
  t.equal(wrong.status, 200)
  t.match(JSON.parse(wrong.body), { success: false, error: 'Wrong username, password or code.' })
  for (const fields of [
    { password: 'wrong', code },
    { username: 'nobody', code },
    { code: '' },
    { code: 'ääääää' },
    { code: `${code}0` },
    {}
  ]) {
    t.same(await logIn(fields as Record<string, string>), wrong, JSON.stringify(Object.keys(fields)))
  }
  t.ok(isAccepted(await logIn({ code })))
})
