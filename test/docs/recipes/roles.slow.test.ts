import t from 'tap'
import { bearer } from '../../helpers.ts'
import { startRecipe, tokenOf } from '../program.ts'

t.test('only who has the role may call the route', async t => {
  const url = await startRecipe(t, 'roles.js')
  const statusFor = async (headers: Record<string, string>) =>
    (await fetch(`${url}/screen/users`, { headers })).status
  t.equal(await statusFor({}), 401)
  t.equal(await statusFor(bearer(await tokenOf(url, 'bob', 'battery staple'))), 403)
  t.equal(await statusFor(bearer(await tokenOf(url, 'ada', 'correct horse'))), 200)
})
