// One account, two names: people log in with their username or email address. Pitfall: the throttle counts failures by
// the entered name, so an attacker gets the attempts of two names. `nameOf` maps an address to the username. It is
// synchronous, so with a database it reads a copy in memory: refresh the copy where your code changes an address, and
// with a timer. Drawback: failed logins reveal whether two names belong to one account.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

// A username must have no "@", or it may equal the address of another person, and get that person's logins.
const ada = { username: 'ada', email: 'ada@example.com', password: 'correct horse', displayName: 'Ada Lovelace' }
const users = new Map([ada].flatMap(user => [user.username, user.email].map(name => [name, user])))
const findUser = name => users.get(name.trim().toLowerCase())

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  // The plugin then ignores case and spaces. `forgetNetworks` (see user-table.js) takes the username of the table.
  throttle: { nameOf: name => findUser(name)?.username ?? name },
  loginForm: form => {
    form.sections[0].fields[0].label = 'Username or email'
    return form
  },
  checkCredentials: ({ username, password }) => {
    const user = findUser(username)
    // Returns the username of the table, not the entered name: a login by address would be a second user.
    return user?.password === password ? { username: user.username, displayName: user.displayName } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

const schema = { response: { 200: ScreenContract } }
app.get('/screen/profile', { schema }, async ({ screenUser }) => ({ layout: 'Card', title: screenUser.username }))

await app.listen({ port: 3000 })
