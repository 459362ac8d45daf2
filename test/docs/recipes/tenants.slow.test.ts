import t from 'tap'
import { bearer } from '../../helpers.ts'
import { recipe, startRecipe, tokenOf } from '../program.ts'

const NORTH_SECRET = 'the secret of the north has 32 bytes and more'
const SOUTH_SECRET = 'the secret of the south has 32 bytes and more'

const url = await startRecipe(t, 'tenants.js', { NORTH_SECRET, SOUTH_SECRET })

async function status(address: string, headers: Record<string, string> = {}): Promise<number> {
  return (await fetch(address, { headers })).status
}

t.test('the token of one tenant is a 401 at the other', async t => {
  const north = bearer(await tokenOf(`${url}/north`, 'ada', 'correct horse'))
  const south = bearer(await tokenOf(`${url}/south`, 'ada', 'battery staple'))
  for (const path of ['screen/profile', 'menu/main']) {
    t.equal(await status(`${url}/north/${path}`, north), 200)
    t.equal(await status(`${url}/south/${path}`, south), 200)
    t.equal(await status(`${url}/south/${path}`, north), 401)
    t.equal(await status(`${url}/north/${path}`, south), 401)
    t.equal(await status(`${url}/north/${path}`), 401)
  }
})

t.test('the password of one tenant is wrong at the other', async t => {
  t.equal(await tokenOf(`${url}/north`, 'ada', 'battery staple'), null)
  t.equal(await tokenOf(`${url}/south`, 'ada', 'correct horse'), null)
})

t.test('each tenant has a login form of its own', async t => {
  const form = async (tenant: string) => (await fetch(`${url}/${tenant}/auth/login`)).json()
  t.match(await form('north'), { title: 'North Company', auth_action: '/north/auth/login' })
  t.match(await form('south'), { title: 'South Company', auth_action: '/south/auth/login' })
})

t.test(
  'an unknown path is a 401 below a prefix, a 404 with the token, and a 404 outside of both',
  async t => {
    const north = bearer(await tokenOf(`${url}/north`, 'ada', 'correct horse'))
    t.equal(await status(`${url}/north/unknown`), 401)
    t.equal(await status(`${url}/south/unknown`, north), 401)
    t.equal(await status(`${url}/north/unknown`, north), 404)
    for (const path of ['/', '/auth/login', '/menu/main', '/east/menu/main']) {
      t.equal(await status(url + path), 404, path)
      t.equal(await status(url + path, north), 404, path)
    }
  }
)

t.test('the server does not start without two different secrets', async t => {
  const wrong: Record<string, string>[] = [
    {},
    { NORTH_SECRET },
    { NORTH_SECRET, SOUTH_SECRET: '' },
    { NORTH_SECRET, SOUTH_SECRET: NORTH_SECRET },
    { NORTH_SECRET, SOUTH_SECRET: 'short' }
  ]
  for (const env of wrong) {
    const server = recipe(t, 'tenants.js', env)
    await t.rejects(server.listening(), /without listening/, JSON.stringify(env))
  }
})
