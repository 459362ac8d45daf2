// A second factor: the login form asks for a code of an authenticator app (TOTP), too. Password and code are one step,
// so a wrong one of either looks the same. `reauthenticate` passes username and password only, so a checker that needs a
// code then reads it from `request.body`. (The conformance kit of this package will report the third field.)
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { TOTP } from 'otpauth'

// Give each person a key of their own, `new Secret().base32`, and show `totp.toString()` as a QR code once.
const users = new Map([
  [
    'ada',
    {
      password: 'correct horse',
      displayName: 'Ada Lovelace',
      totp: new TOTP({ issuer: 'Demo Company', label: 'ada', secret: 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U' }),
      lastCounter: 0
    }
  ]
])

/** Whether the code is right, and newer than the last one that was used: each code is good for one login. */
function spendCode(user, code) {
  // The library throws for some other strings, which would be a 500 and no failed login.
  if (!/^[0-9]{6}$/.test(code)) return false
  const timestamp = Date.now()
  const delta = user.totp.validate({ token: code, timestamp })
  if (delta === null) return false
  const counter = user.totp.counter({ timestamp }) + delta
  if (counter <= user.lastCounter) return false
  // In a database this is one statement, `UPDATE … WHERE last_counter < ?`, or two logins may use one code.
  user.lastCounter = counter
  return true
}

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  loginForm: form => {
    form.sections[0].fields.push({ id: 'code', label: 'Code', type: 'Text', value: '' })
    return form
  },
  checkCredentials: ({ username, password, code }) => {
    const user = users.get(username)
    // The password first: a stranger must not be able to use up a code.
    const isRight = user?.password === password && spendCode(user, code)
    return isRight ? { username, displayName: user.displayName } : { error: 'Wrong username, password or code.' }
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

await app.listen({ port: 3000 })
