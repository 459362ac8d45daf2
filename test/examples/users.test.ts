// `npm run users` as a real process, on the database of a running server.
import t from 'tap'
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
  const users = (args: string[], input: string | Buffer = '') => end(start('users', database, args), input)
  await users(['add', 'ada'], 'a-password')
  const refused: [string[], string | Buffer, RegExp][] = [
    [[], '', /^Usage: npm run users/],
    [['nonsense'], '', /^Usage/],
    [['toString'], '', /^Usage/],
    [['add'], 'a-password', /^Usage/],
    [['add', 'a', 'b'], 'a-password', /^Usage/],
    [['list', 'ada'], '', /^Usage/],
    [['list', '--nonsense'], '', /^Usage/],
    [['add', 'ada'], 'a-password', /^ada exists already; choose another NAME\n$/],
    [['add', ' bob'], 'a-password', /^NAME must be 1 to 128 printable characters/],
    [['add', 'b\nb'], 'a-password', /^NAME must/],
    [
      ['add', 'bob', '--display-name', 'a\x1b[31m'],
      'a-password',
      /^--display-name must be 1 to 128 printable/
    ],
    [['add', 'bob', '--display-name', ''], 'a-password', /^--display-name must/],
    [['list', '--display-name', 'x'], '', /^Usage/],
    [['add', 'b'.repeat(129)], 'a-password', /^NAME must/],
    [['add', 'bob'], '', /at least 8 characters/],
    [['add', 'bob'], 'short\nlonger-password', /at least 8 characters/],
    [['add', 'bob'], Buffer.from('a-password-\xff', 'latin1'), /not UTF-8/],
    [['passwd', 'bob'], 'a-password', /^There is no user bob; see the names with/],
    [['remove', 'bob'], '', /^There is no user bob/]
  ]
  for (const [args, input, message] of refused) {
    const { code, stderr } = await users(args, input)
    t.equal(code, 1, args.join(' '))
    t.match(stderr, message, args.join(' '))
  }
  t.match((await users(['list'])).stdout, /^ada\tada\t[^\n]*\n$/, 'and nothing has changed')
})

t.test('help that is asked for is no failure', async t => {
  t.match(await end(start('users', {}, ['--help'])), { code: 0, stdout: /^Usage: npm run users/, stderr: '' })
})

t.test('the display name is the username when none is given, and the server is not needed', async t => {
  const database = freshDatabase(t)
  t.match(await end(start('users', database, ['add', 'ada']), 'a-password\n'), {
    code: 0,
    stdout: 'Added ada (ada).\n'
  })
})
