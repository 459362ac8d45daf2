// The login, for all routes. Without fastify-plugin it would guard only the scope of this file, and the routes of all
// other files would be open; a warning in the log names them at the start.
import fp from 'fastify-plugin'
import screenAuth from 'fastify-screen-auth'

async function auth(app) {
  await app.register(screenAuth, {
    checkCredentials: ({ username, password }) =>
      username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
    mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
  })
}

// Name each plugin here that a 401 needs, too: helmet, cors, a rate limit. Autoload loads files in the order of their
// names: without this line it would load helmet.js too late, and report no error. Name swagger.js, too, or its
// document lacks the routes of the login.
export default fp(auth, { name: 'auth', dependencies: ['helmet'] })
