// An account whose name looks like another's: a user store that compares bytes holds both, and what counts failures takes
// them for one.

import t from 'tap'
import { PASSWORD } from '../../helpers.ts'
import { attempt, countingHost, repeat } from './attempts.ts'

const pairs = [
  ['admin', '\u00e1dmin'],
  ['admin', 'ADMIN'],
  ['admin', 'adm in'],
  ['admin', 'admin\u200b'],
  ['admin', '\uff41dmin'],
  ['user1', 'user\u0661'],
  ['tu', 't\u00fa'],
  ['\u0930\u093e\u092e', '\u0930\u092e\u093e'],
  ['ann lee', 'annlee'],
  ['wei\u00df', 'WEISS']
] as const

/** One person has the password; the guesses are at the account of the other. */
const hostOf = (t: Parameters<typeof countingHost>[0], own: string) => {
  let guesses = 0
  const checkCredentials = ({ username, password }: Record<string, string>) => {
    if (username !== own) guesses++
    return username === own && password === PASSWORD ? { username, displayName: '' } : null
  }
  return countingHost(t, { checkCredentials }).then(({ app }) => ({ app, guesses: () => guesses }))
}

for (const [victim, own] of pairs)
  for (const [name, addresses, promised] of [
    ['one address', 1, 10],
    ['100 addresses', 100, 50]
  ] as const)
    t.test(`whoever logs in as ${own} has ${promised} guesses at ${victim} from ${name}`, async t => {
      const { app, guesses } = await hostOf(t, own)
      await repeat(200, async i => {
        const address = `10.0.0.${i % addresses}`
        if (Math.floor(i / addresses) % 9 === 0)
          await attempt(app, { username: own, password: PASSWORD, address })
        await attempt(app, { username: victim, address })
      })
      t.equal(guesses(), promised)
    })

t.test('a success ends the row of the name that was entered, again and again', async t => {
  const { app } = await hostOf(t, 'Ada')
  await repeat(4, async () => {
    await repeat(9, () => attempt(app, { username: 'Ada' }))
    t.equal((await attempt(app, { username: 'Ada', password: PASSWORD })).success, true)
  })
})
