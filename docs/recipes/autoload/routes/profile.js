// GET /screen/profile. The guard has run, so `screenUser` is set.
export default async function profile(app) {
  app.get('/profile', async request => ({ layout: 'Card', title: request.screenUser.displayName }))
}
