// A password that must be changed: first-password.js.
import t, { type Test } from 'tap'
import type { Json } from '../../examples/process.ts'
import { jsonOf, logIn, post, request, startRecipe, statusOf, tokenOf } from '../program.ts'

const NEW = 'battery staple'
const FORCED = { layout: 'Card', status: /choose/, user_display_name: 'Ada Lovelace' }

async function start(t: Test) {
  const url = await startRecipe(t, 'first-password.js')
  const token = await tokenOf(url)
  const change = async (changes: object) => (await post(`${url}/screen/password`, { changes }, token)).json()
  return { url, token, change }
}

t.test('first-password: every screen is the Card for a new password until the password is changed', async t => {
  const { url, token } = await start(t)
  t.match(await (await logIn(url)).json(), { success: true, screen: FORCED })
  for (const path of ['/menu/main', '/screen/profile', '/screen/password', '/unknown', '/screen/password/'])
    t.match(await jsonOf(url + path, token), FORCED, path)
  t.equal((await post(`${url}/screen/profile`, {}, token)).status, 403)
  t.equal((await request(`${url}/screen/profile`, token, { method: 'HEAD' })).status, 403)
  t.equal((await post(`${url}/auth/logout`, {}, token)).status, 204)
  t.equal(await statusOf(`${url}/screen/profile`, token), 401)
})

t.test('first-password: an invalid entry changes nothing', async t => {
  const { url, token, change } = await start(t)
  const same = (fresh: string) => ({ current: 'correct horse', fresh, again: fresh })
  for (const changes of [
    {},
    { ...same(NEW), again: 'another' },
    { ...same(NEW), current: 'wrong' },
    { ...same(NEW), current: '' },
    same('short'),
    same('correct horse'),
    same('with a \0 in it'),
    same('with a \ud800 in it')
  ])
    t.match(await change(changes), { status: /^Error: .{1,42}$/ })
  for (const body of [null, {}, { changes: null }, { changes: same('x'.repeat(1025)) }, { changes: { fresh: {} } }])
    t.equal((await post(`${url}/screen/password`, body, token)).status, 400)
  t.match(await jsonOf(`${url}/menu/main`, token), FORCED)
})

t.test('first-password: a change ends all sessions, and a login with the new password opens every screen', async t => {
  const { url, token, change } = await start(t)
  const other = await tokenOf(url)
  t.match(await change({ current: 'correct horse', fresh: NEW, again: NEW }), { title: 'Your password was changed' })
  for (const ended of [token, other]) t.equal(await statusOf(`${url}/menu/main`, ended), 401)
  t.match(await (await logIn(url)).json(), { success: false, error: 'Wrong username or password.' })
  const { success, token: fresh, screen }: Json = await (await logIn(url, { password: NEW })).json()
  t.match([success, screen.layout], [true, 'Menu'])
  t.match(await jsonOf(`${url}/screen/profile`, fresh), { title: 'Profile', user_display_name: 'Ada Lovelace' })
  t.match(await jsonOf(`${url}/screen/password`, fresh), { layout: 'Card', title: 'Change my password' })
})

t.test('first-password: guesses of the current password with a stolen token are limited', async t => {
  const { url, change } = await start(t)
  for (let i = 0; i < 10; i++) await change({ current: `guess ${i}`, fresh: NEW, again: NEW })
  t.match(await change({ current: 'correct horse', fresh: NEW, again: NEW }), { status: /Too many attempts/ })
  t.match(await (await logIn(url, { username: 'nobody' })).json(), { success: false })
})
