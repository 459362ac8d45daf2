// GET /screen/profile. The guard has run before, so there is a user.
export default async function profile(app) {
  app.get('/profile', async request => ({ layout: 'Card', title: request.screenUser.displayName }))
}
