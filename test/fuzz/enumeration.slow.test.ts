// User enumeration: the responses to an unknown user and to a wrong password must not differ in content or in timing.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { openStores } from '../../examples/server/stores.ts'
import { host, logIn } from '../helpers.ts'

const PAIRS = 60

const median = (times: number[] = []) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN
const anyPassword = () => randomBytes(12).toString('hex')

t.test('an unknown user and a wrong password get the same response in the same time', async t => {
  const { users, close } = await openStores('file::memory:')
  t.teardown(close)
  await users.add({ username: 'ada', displayName: 'Ada' }, anyPassword())
  const checkCredentials = ({ username, password }: { username: string; password: string }) =>
    users.verify(username, password)
  // The throttle would block many failures from one address.
  const app = await host(t, { checkCredentials, throttle: false })
  const responses = new Set<string>()
  const times: Record<string, number[]> = { ada: [], eve: [] }
  for (let pair = 0; pair < PAIRS; pair++)
    for (const username of pair % 2 === 0 ? ['ada', 'eve'] : ['eve', 'ada']) {
      const start = performance.now()
      const { statusCode, headers, body } = await logIn(app, { username, password: anyPassword() })
      times[username]?.push(performance.now() - start)
      responses.add(JSON.stringify([statusCode, { ...headers, date: '' }, body]))
    }
  t.equal(responses.size, 1)
  const ratio = median(times.ada) / median(times.eve)
  t.ok(ratio > 0.8 && ratio < 1.25, `${ratio}`)
})
