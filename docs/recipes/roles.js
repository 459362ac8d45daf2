// A route that only some users may call: the roles are looked up for each request, so a change holds at once. With a
// database, look them up once a request, as user-record.js does.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const users = new Map([
  ['ada', { password: 'correct horse', displayName: 'Ada Lovelace', roles: ['admin'] }],
  ['bob', { password: 'battery staple', displayName: 'Bob', roles: [] }]
])

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

/** A preHandler: the guard has run before, so there is a user. */
function onlyFor(role) {
  return async (request, reply) => {
    const { username } = request.screenUser
    // 403 and not 401, which would send the client back to the login.
    if (!users.get(username)?.roles.includes(role)) return reply.code(403).send()
  }
}

app.get('/screen/users', { preHandler: onlyFor('admin') }, async () => ({
  layout: 'List',
  title: 'Users',
  lines: {
    columns: [{ id: 'username', label: 'Username' }],
    rows: [...users.keys()].map((name, index) => ({ index, values: [name] })),
    row_count: users.size
  }
}))

await app.listen({ port: 3000 })
