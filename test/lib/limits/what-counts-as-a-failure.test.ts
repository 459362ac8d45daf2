import t from 'tap'
import { PASSWORD } from '../../helpers.ts'
import { attempt, countingHost, RIGHT } from './attempts.ts'

const one = { throttle: { address: { failures: 1, seconds: 60 } } }

t.test('a success does not count', async t => {
  const { app } = await countingHost(t, one)
  await attempt(app, RIGHT)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('an empty field does not count', async t => {
  const { app } = await countingHost(t, one)
  await attempt(app, { password: '' })
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a malformed body does not count', async t => {
  const { app } = await countingHost(t, one)
  await app.inject({ method: 'POST', url: '/auth/login', remoteAddress: '192.0.2.1', payload: 'x' })
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a checker that throws does not count', async t => {
  const checkCredentials = ({ username, password }: Record<string, string>) => {
    if (password === 'broken') throw new Error('the user store is down')
    return password === PASSWORD ? { username, displayName: '' } : null
  }
  const { app } = await countingHost(t, { ...one, checkCredentials })
  t.equal((await attempt(app, { password: 'broken' })).statusCode, 500)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a wrong password counts', async t => {
  const { app } = await countingHost(t, one)
  t.equal((await attempt(app)).isBlocked, false)
  t.equal((await attempt(app, RIGHT)).isBlocked, true)
})

t.test("a rejection with the host's own message counts", async t => {
  const { app } = await countingHost(t, { ...one, checkCredentials: () => ({ error: 'Not today.' }) })
  t.equal((await attempt(app)).error, 'Not today.')
  t.equal((await attempt(app)).isBlocked, true)
})

for (const kind of ['address', 'username'])
  t.test(`a success does not clear the failures of the ${kind}`, async t => {
    const { app } = await countingHost(t, { throttle: { [kind]: { failures: 2, seconds: 60 } } })
    await attempt(app)
    await attempt(app, { ...RIGHT, ...(kind === 'username' && { address: '192.0.2.2' }) })
    await attempt(app)
    t.equal((await attempt(app)).isBlocked, true)
  })
