/** Express with Passport and passport-jwt, without a session. The user comes from the claims, without a lookup. */
import { createSecretKey } from 'node:crypto'
import express from 'express'
import passport from 'passport'
import { ExtractJwt, Strategy } from 'passport-jwt'
import { menuOf, SECRET } from './data.js'

const options = {
  jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
  // A KeyObject, because jsonwebtoken would convert a string for every token.
  secretOrKey: createSecretKey(Buffer.from(SECRET)),
  algorithms: ['HS256']
}

export async function start() {
  passport.use(
    new Strategy(options, ({ sub, display_name }, done) =>
      done(null, { username: sub, displayName: display_name })
    )
  )
  const app = express()
  app.use(passport.authenticate('jwt', { session: false }))
  app.get('/menu/main', (request, response) => {
    response.json(menuOf(request.user.displayName))
  })
  return { server: app.listen(0, '127.0.0.1') }
}
