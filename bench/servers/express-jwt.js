/** Express with express-jwt and the error handler of its README: the default one of Express would log every 401. */
import { createSecretKey } from 'node:crypto'
import express from 'express'
import { expressjwt } from 'express-jwt'
import { menuOf, SECRET } from './data.js'

export async function start() {
  const app = express()
  // A KeyObject, because jsonwebtoken would convert a string for every token.
  app.use(expressjwt({ secret: createSecretKey(Buffer.from(SECRET)), algorithms: ['HS256'] }))
  app.get('/menu/main', (request, response) => {
    response.json(menuOf(request.auth.display_name))
  })
  app.use((error, _request, response, next) => {
    if (error.name === 'UnauthorizedError') response.status(401).send('invalid token...')
    else next(error)
  })
  return { server: app.listen(0, '127.0.0.1') }
}
