import fc from 'fast-check'
import t from 'tap'
import { anyJson, anyText, request, seed, spelled } from './login-arbitraries.ts'
import { LIMIT, RIGHT, setUp } from './login-judge.ts'
import { holds, MANY } from './runs.ts'

t.test('any bytes as a body get an AuthResponse with the expected status', async t => {
  const { judge } = await setUp(t)
  const bytes = fc.uint8Array({ maxLength: 400 }).map(all => Buffer.from(all))
  await holds(
    t,
    fc.asyncProperty(bytes, body => judge(body)),
    2
  )
})

t.test('any text and any JSON as a body get an AuthResponse with the expected status', async t => {
  const { judge } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(fc.oneof(anyText, fc.json()), body => judge(body)),
    2
  )
  await holds(
    t,
    fc.asyncProperty(anyJson, seed, (value, seed) => judge(spelled(value, seed))),
    2
  )
})

t.test(
  'checkCredentials receives the fields of every valid AuthRequest and nothing of an invalid one',
  async t => {
    const { judge, statuses } = await setUp(t)
    await holds(
      t,
      fc.asyncProperty(request, seed, (value, seed) => judge(spelled(value, seed))),
      5
    )
    if (MANY) t.strictSame([...statuses].sort(), [200, 400])
  }
)

t.test('a valid login whose bytes are changed gets the expected status', async t => {
  const { judge, statuses } = await setUp(t)
  const change = fc.record({
    at: fc.nat(RIGHT.length),
    remove: fc.nat(2),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom(...'{}[]":,\\ 0ux').map(text => Buffer.from(text))
    )
  })
  await holds(
    t,
    fc.asyncProperty(fc.array(change, { maxLength: 3 }), changes => {
      let body = Buffer.from(RIGHT)
      for (const { at, remove, insert } of changes)
        body = Buffer.concat([body.subarray(0, at), insert, body.subarray(at + remove)])
      return judge(body)
    }),
    3
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 400])
})

t.test('JSON of any depth and any length gets the expected status', async t => {
  const { judge, statuses } = await setUp(t)
  const [before, after] = ['{"fields":{"username":"a","password":"b"},"x":', '}']
  const open = fc.constantFrom(
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"__proto__":', '}]'],
    ['{"constructor":', '}'],
    ['[[],', ']']
  )
  await holds(
    t,
    fc.asyncProperty(
      open,
      fc.nat(8200),
      fc.integer({ min: -1, max: 1 }),
      fc.boolean(),
      ([open, close], depth, more, inFields) => {
        const nested = `${(open as string).repeat(depth)}1${(close as string).repeat(Math.max(0, depth + more))}`
        return judge(inFields ? `{"fields":${nested}}` : before + nested + after)
      }
    ),
    0.3
  )
  await holds(
    t,
    fc.asyncProperty(
      fc.integer({ min: LIMIT - 100, max: LIMIT + 100 }),
      fc.constantFrom('x', ' ', 'é', '9'),
      (length, filler) => {
        const padding = Buffer.alloc(length - before.length - after.length - (filler === '9' ? 0 : 2), filler)
        return judge(
          Buffer.concat([
            Buffer.from(before + (filler === '9' ? '' : '"')),
            padding,
            Buffer.from((filler === '9' ? '' : '"') + after)
          ])
        )
      }
    ),
    0.3
  )
  await holds(
    t,
    fc.asyncProperty(
      fc.constantFrom(
        '1e999999',
        '-1e999999',
        '1E-999999',
        '9'.repeat(9000),
        '0.'.padEnd(9000, '1'),
        '-0',
        '01',
        '.5',
        'NaN',
        '0x1',
        '1_0'
      ),
      fc.boolean(),
      (number, inField) =>
        judge(inField ? `{"fields":{"username":"a","password":${number}}}` : before + number + after)
    ),
    0.3
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 400, 413])
})
