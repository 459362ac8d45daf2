// What only the real `npm run users` can show; what its commands do is in users.test.ts.

import t from 'tap'
import { USAGE } from '../../examples/server/user-commands.ts'
import { bearer } from '../helpers.ts'
import { end, freshDatabase, post, start, startServer } from './process.ts'

t.test('users are added, listed, given a password and removed while the server runs', async t => {
  const database = freshDatabase(t)
  const server = await startServer(t, database)
  const users = (args: string[], input = '') => end(start('users', database, args), input)
  const logIn = (username: string, password: string) => post(server, '/auth/login', { username, password })

  t.match(await users(['add', 'Ada L.', '--display-name', 'Ada Løvelace'], 'first-password\n'), {
    code: 0,
    stdout: /Added Ada L\./
  })
  t.match(await logIn('Ada L.', 'first-password'), {
    success: true,
    screen: { user_display_name: 'Ada Løvelace' }
  })

  t.match(await users(['list']), { code: 0, stdout: /^Ada L\.\tAda Løvelace\t.*\ndemo\tDemo User\t.*\n$/ })

  t.match(await users(['passwd', 'Ada L.'], '  second password 🦊'), { code: 0 })
  t.equal((await logIn('Ada L.', 'first-password')).success, false)
  const { token } = await logIn('Ada L.', '  second password 🦊')
  t.type(token, 'string')

  t.match(await users(['remove', 'Ada L.']), { code: 0, stdout: /Removed Ada L\./ })
  t.equal((await logIn('Ada L.', '  second password 🦊')).success, false)
  const profile = await fetch(`${server.url}/screen/profile`, { headers: bearer(token) })
  t.equal(profile.status, 404, 'a token made before is still valid, but there is no profile any more')
})

t.test('what cannot be done ends with exit code 1 and says why', async t => {
  const database = freshDatabase(t)
  for (const [args, input, message] of [
    [[], '', /^Usage: npm run users/],
    [['add', 'ada'], '', /^Use at least 8 characters\.\n$/],
    [['add', 'ada'], Buffer.from('a-password-\xff', 'latin1'), /^The password on .* is not UTF-8\.\n$/],
    [['remove', 'ada'], '', /^There is no user ada; see the names with: .*\n$/]
  ] as const) {
    const ended = await end(start('users', database, [...args]), input)
    t.match(ended, { code: 1, stdout: '', stderr: message }, args.join(' '))
  }
})

t.test('help that is asked for is no failure', async t => {
  const help = await end(start('users', {}, ['--help']))
  t.strictSame(help, { code: 0, stdout: `${USAGE}\n`, stderr: '' })
})
