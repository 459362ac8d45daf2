// The commands of `npm run users`, and a run of the real program.

import t, { type Test } from 'tap'
import { Database } from '../../examples/server/database.ts'
import { type Logins, readCommand, USAGE } from '../../examples/server/user-commands.ts'
import { UserStore } from '../../examples/server/user-store.ts'
import { end, freshDatabase, start } from './process.ts'

async function openUsers(t: Test, url: string): Promise<UserStore> {
  const database = await Database.open(url)
  t.teardown(() => database.close())
  return UserStore.open(database)
}

/** Creates a database, and returns a function that runs a command on it and returns the printed lines. */
async function commands(t: Test, { withRedis = false } = {}) {
  const users = await openUsers(t, 'file::memory:')
  /** The calls of `logins`. */
  const done: unknown[][] = []
  const logins: Logins = {
    end: async name => void done.push(['end', name]),
    unlock: async (name, address) => void done.push(['unlock', name, address])
  }
  const run = async (args: string[], password = '') => {
    const { args: printed, restore } = t.capture(console, 'log', line => line)
    try {
      const askPassword = async () => password
      await readCommand(args)({ users, logins: withRedis ? logins : null, askPassword })
    } finally {
      restore()
    }
    return printed().map(([line]) => line)
  }
  return { users, run, done }
}

t.test('the commands add, list and remove users and set their passwords', async t => {
  const { users, run } = await commands(t)
  const add = ['add', 'Ada L.', '--display-name', 'Ada Løvelace']
  t.strictSame(await run(add, 'first-password'), ['Added Ada L. (Ada Løvelace).'])
  t.match(await users.verify('Ada L.', 'first-password'), { displayName: 'Ada Løvelace' })

  t.strictSame(await run(['add', 'bob'], 'a-password'), ['Added bob (bob).'])
  const list = await run(['list'])
  t.match(list, [/^Ada L\.\tAda Løvelace\t\d{4}-\d\d-\d\dT\S+$/, /^bob\tbob\t\S+$/])
  t.equal(list.length, 2)

  const passwd = await run(['passwd', 'Ada L.'], '  second password 🦊')
  t.strictSame(passwd, ['Set the password of Ada L..', 'Earlier tokens stay valid until they expire.'])
  t.equal(await users.verify('Ada L.', 'first-password'), null)
  t.match(await users.verify('Ada L.', '  second password 🦊'), { username: 'Ada L.' })

  const removed = await run(['remove', 'Ada L.'])
  t.strictSame(removed, ['Removed Ada L..', 'Earlier tokens stay valid until they expire.'])
  t.equal(await users.find('Ada L.'), null)
})

t.test('a command that fails gives the reason and changes nothing', async t => {
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
    [['passwd', 'bob'], /^There is no user bob; list the names with/],
    [['remove', 'bob'], /^There is no user bob/],
    [['sign-out', 'ada'], /^Only sessions in Redis can be ended: set SVC_REDIS_URL$/],
    [['unlock', 'ada'], /^Without SVC_REDIS_URL .* in the memory of the server: wait an hour, or restart the server$/]
  ]
  for (const [args, message] of refused)
    await t.rejects(run(args, 'a-password'), { name: 'SetupError', message }, args.join(' '))
  t.strictSame(await run(['list']), before)
})

t.test('a user is not added if the name is taken while the password is entered', async t => {
  const { users } = await commands(t)
  const askPassword = async () => {
    await users.add({ username: 'ada', displayName: 'First' }, 'first-password')
    return 'a-password'
  }
  const command = readCommand(['add', 'ada'])
  await t.rejects(command({ users, askPassword, logins: null }), { message: /^ada exists already/ })
  t.match(await users.verify('ada', 'first-password'), { displayName: 'First' })
})

t.test('with Redis, a new password or the removal of a user ends the sessions of the user', async t => {
  const { run, done } = await commands(t, { withRedis: true })
  await run(['add', 'ada'], 'a-password')
  t.strictSame(done, [])
  const ended = 'ada is signed out everywhere.'
  t.strictSame(await run(['passwd', 'ada'], 'another-password'), ['Set the password of ada.', ended])
  t.strictSame(await run(['remove', 'ada']), ['Removed ada.', ended])
  t.strictSame(await run(['sign-out', 'ada']), [ended])
  t.strictSame(done, Array(3).fill(['end', 'ada']))
})

t.test('unlock deletes the failures of a user, and those of an address if one is given', async t => {
  const { run, done } = await commands(t, { withRedis: true })
  await run(['add', 'ada'], 'a-password')
  t.strictSame(await run(['unlock', 'ada']), ['Deleted the failed logins of ada.'])
  t.strictSame(await run(['unlock', 'ada', '--address', '2001:db8::1']), [
    'Deleted the failed logins of ada and of 2001:db8::1.'
  ])
  t.strictSame(done, [
    ['unlock', 'ada', undefined],
    ['unlock', 'ada', '2001:db8::1']
  ])
})

t.test('unlock rejects an unknown name and a malformed address', async t => {
  const { run, done } = await commands(t, { withRedis: true })
  await run(['add', 'ada'], 'a-password')
  await t.rejects(run(['unlock', 'Ada']), { name: 'SetupError', message: /^There is no user Ada; list/ })
  for (const address of ['', '192.0.2', '192.0.2.1:80', '192.0.2.0/24', 'localhost'])
    await t.rejects(
      run(['unlock', 'ada', '--address', address]),
      { name: 'SetupError', message: /^--address must be an IP address, for example 192\.0\.2\.1/ },
      address
    )
  t.strictSame(done, [])
})

t.test('a command that does not match the usage is rejected with the usage', async t => {
  for (const line of [
    '',
    'nonsense',
    'toString',
    'add',
    'add a b',
    'list ada',
    'list --nonsense',
    'list --display-name x',
    'unlock',
    'unlock ada --display-name x',
    'sign-out ada --address 192.0.2.1',
    'unlock ada --address'
  ]) {
    const args = line === '' ? [] : line.split(' ')
    t.throws(() => readCommand(args), { name: 'SetupError', message: USAGE }, line)
  }
})

t.test('the program reads a password from standard input while another process has the database open', async t => {
  const database = freshDatabase(t)
  const users = await openUsers(t, database.SVC_DATABASE_URL)
  const ended = await end(start('users', database, ['add', 'ada']), '  second password 🦊\nsecond line')
  t.strictSame(ended, { code: 0, stdout: 'Added ada (ada).\n', stderr: '' })
  t.match(await users.verify('ada', '  second password 🦊'), { username: 'ada' })
})
