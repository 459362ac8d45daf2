// `npm run users`: what the commands do, and a few runs of the real program.

import t, { type Test } from 'tap'
import { Database } from '../../examples/server/database.ts'
import { readCommand, USAGE } from '../../examples/server/user-commands.ts'
import { UserStore } from '../../examples/server/user-store.ts'
import { end, freshDatabase, start } from './process.ts'

function openUsers(t: Test, url: string): Promise<UserStore> {
  const database = new Database(url)
  t.teardown(() => database.close())
  return UserStore.open(database)
}

/** Runs commands on a database of their own. Each run returns the lines that it prints. */
async function commands(t: Test, { endSessions = null as null | ((name: string) => Promise<void>) } = {}) {
  const users = await openUsers(t, 'file::memory:')
  const run = async (args: string[], password = '') => {
    const { args: printed, restore } = t.capture(console, 'log', line => line)
    try {
      await readCommand(args)({ users, endSessions, askPassword: async () => password })
    } finally {
      restore()
    }
    return printed().map(([line]) => line)
  }
  return { users, run }
}

t.test('users are added, listed, given a password and removed', async t => {
  const { users, run } = await commands(t)
  const add = ['add', 'Ada L.', '--display-name', 'Ada Løvelace']
  t.strictSame(await run(add, 'first-password'), ['Added Ada L. (Ada Løvelace).'])
  t.match(await users.verify('Ada L.', 'first-password'), { displayName: 'Ada Løvelace' })

  await run(['add', 'bob'], 'a-password')
  const list = await run(['list'])
  t.match(list, [/^Ada L\.\tAda Løvelace\t\d{4}-\d\d-\d\dT\S+$/, /^bob\tbob\t\S+$/])
  t.equal(list.length, 2)

  const passwd = await run(['passwd', 'Ada L.'], '  second password 🦊')
  t.strictSame(passwd, ['Set the password of Ada L..', 'Tokens made before stay valid until they expire.'])
  t.equal(await users.verify('Ada L.', 'first-password'), null)
  t.match(await users.verify('Ada L.', '  second password 🦊'), { username: 'Ada L.' })

  const removed = await run(['remove', 'Ada L.'])
  t.strictSame(removed, ['Removed Ada L..', 'Tokens made before stay valid until they expire.'])
  t.equal(await users.find('Ada L.'), null)
})

t.test('the display name is the username when none is given', async t => {
  const { run } = await commands(t)
  t.strictSame(await run(['add', 'ada'], 'a-password'), ['Added ada (ada).'])
})

t.test('a command that cannot be carried out says why, and changes nothing', async t => {
  const { run } = await commands(t)
  await run(['add', 'ada'], 'a-password')
  const before = await run(['list'])
  const refused: [string[], RegExp][] = [
    [['add', 'ada'], /^ada exists already; choose another NAME$/],
    [['add', ' bob'], /^NAME must be 1 to 128 printable characters/],
    [['add', 'b\nb'], /^NAME must/],
    [['add', 'b'.repeat(129)], /^NAME must/],
    [['add', 'bob', '--display-name', 'a\x1b[31m'], /^--display-name must be 1 to 128 printable/],
    [['add', 'bob', '--display-name', ''], /^--display-name must/],
    [['passwd', 'bob'], /^There is no user bob; see the names with/],
    [['remove', 'bob'], /^There is no user bob/],
    [['sign-out', 'ada'], /^Sessions can only be ended where SVC_REDIS_URL is set$/]
  ]
  for (const [args, message] of refused)
    await t.rejects(run(args, 'a-password'), { name: 'SetupError', message }, args.join(' '))
  t.strictSame(await run(['list']), before)
})

t.test('a name that is taken meanwhile is not given to another user', async t => {
  const { users } = await commands(t)
  const askPassword = async () => {
    await users.add({ username: 'ada', displayName: 'First' }, 'first-password')
    return 'a-password'
  }
  const command = readCommand(['add', 'ada'])
  await t.rejects(command({ users, askPassword, endSessions: null }), { message: /^ada exists already/ })
  t.match(await users.verify('ada', 'first-password'), { displayName: 'First' })
})

t.test('where sessions can be ended, those of a user end with the password, and with the user', async t => {
  const ended: string[] = []
  const endSessions = async (name: string) => {
    ended.push(name)
  }
  const { run } = await commands(t, { endSessions })
  await run(['add', 'ada'], 'a-password')
  t.strictSame(ended, [])
  t.strictSame(await run(['passwd', 'ada'], 'another-password'), ['Set the password of ada.'])
  t.strictSame(await run(['remove', 'ada']), ['Removed ada.'])
  t.strictSame(await run(['sign-out', 'ada']), [])
  t.strictSame(ended, ['ada', 'ada', 'ada'])
})

t.test('anything but a command as it is spelled in the usage is answered with the usage', async t => {
  for (const args of [
    [],
    ['nonsense'],
    ['toString'],
    ['add'],
    ['add', 'a', 'b'],
    ['list', 'ada'],
    ['list', '--nonsense'],
    ['list', '--display-name', 'x']
  ])
    t.throws(() => readCommand(args), { name: 'SetupError', message: USAGE }, args.join(' '))
})

t.test('the program reads a password from standard input, while a server uses the database', async t => {
  const database = freshDatabase(t)
  const users = await openUsers(t, database.SVC_DATABASE_URL)
  const ended = await end(start('users', database, ['add', 'ada']), 'a-password\nsecond line')
  t.strictSame(ended, { code: 0, stdout: 'Added ada (ada).\n', stderr: '' })
  t.match(await users.verify('ada', 'a-password'), { username: 'ada' })
})
