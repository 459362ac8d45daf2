// What only the real `npm run users` can show; what its commands do is in users.test.ts.

import t from 'tap'
import { USAGE } from '../../examples/server/user-commands.ts'
import { end, freshDatabase, start } from './process.ts'

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
