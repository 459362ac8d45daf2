// The login, for all routes. Without fastify-plugin it would guard the scope of this file only, and the routes of all
// other files would be open; the log at the start warns of them.
import fp from 'fastify-plugin'
import screenAuth from 'fastify-screen-auth'

async function auth(app) {
  await app.register(screenAuth, {
    checkCredentials: ({ username, password }) =>
      username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
    mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
  })
}

// What a 401 needs, too, must be loaded before: helmet, cors, a rate limit. Files are loaded in the order of their names,
// so helmet.js would come too late, without a word, if it were not named here. So would swagger.js: then its document
// lacks the routes of the login.
export default fp(auth, { name: 'auth', dependencies: ['helmet'] })
