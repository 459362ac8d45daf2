// GET /screen/profile. The guard has run, so `screenUser` is set.
import { ScreenContract } from 'fastify-screen-auth/schemas'

const schema = { response: { 200: ScreenContract } }

export default async function profile(app) {
  app.get('/profile', { schema }, async request => ({ layout: 'Card', title: request.screenUser.displayName }))
}
