import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { anyJson, anyText, LIMIT, password, RIGHT, request, seed, setUp, spelled } from './logins.ts'
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

t.test('any well-formed username and password reach checkCredentials byte for byte', async t => {
  const { post } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(password, password, seed, async (username, password, seed) => {
      const { fields } = await post(spelled({ fields: { username, password } }, seed))
      assert.deepEqual(Buffer.from(fields?.password ?? ''), Buffer.from(password))
      assert.deepEqual(Buffer.from(fields?.username ?? ''), Buffer.from(username))
    }),
    4
  )
})

t.test('two passwords stay different if they differ only in normalisation, case or white space', async t => {
  const { post } = await setUp(t)
  const twin = fc.constantFrom<(text: string) => string>(
    text => text.normalize('NFC'),
    text => text.normalize('NFD'),
    text => text.normalize('NFKC'),
    text => text.trim(),
    text => ` ${text}`,
    text => `${text}\n`,
    text => `\ufeff${text}`,
    text => `${text}\u200b`,
    text => text.toLowerCase(),
    text => text.toUpperCase(),
    text => encodeURIComponent(text),
    text => JSON.stringify(text),
    text => text.slice(0, -1),
    text => text.slice(0, 72),
    text => text.replace(/[^\x20-\x7e]/g, '?'),
    text => text.replace(/[^\x20-\x7e]/gu, '\ufffd')
  )
  await holds(
    t,
    fc.asyncProperty(password, twin, seed, seed, async (one, twin, seed, otherSeed) => {
      const other = twin(one)
      fc.pre(other.isWellFormed() && other !== '')
      const send = async (password: string, seed: number) =>
        (await post(spelled({ fields: { username: 'a', password } }, seed))).fields?.password
      assert.equal((await send(one, seed)) === (await send(other, otherSeed)), one === other)
    }),
    2
  )
})

t.test('any bytes in a password arrive unchanged or are refused', async t => {
  const { post, statuses } = await setUp(t)
  const [before, after] = ['{"fields":{"username":"a","password":"', '"}}'].map(text =>
    Buffer.from(text)
  ) as [Buffer, Buffer]
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 6 }),
    fc.uint8Array({ min: 0x80, minLength: 1, maxLength: 4 }),
    password.map(text => Buffer.from(text))
  )
  await holds(
    t,
    fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 3 }), async parts => {
      const sent = Buffer.concat(parts)
      // A quote, a backslash and control characters would change the JSON around them.
      fc.pre(!sent.some(byte => byte < 0x20 || byte === 0x22 || byte === 0x5c))
      const { response, fields } = await post(Buffer.concat([before, sent, after]))
      assert.equal(response.statusCode, isUtf8(sent) ? 200 : 400)
      assert.deepEqual(fields && Buffer.from(fields.password as string), isUtf8(sent) ? sent : undefined)
    }),
    3
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 400])
})

t.test(
  'invalid UTF-8, NUL and lone surrogates in any field or key are a 400 before checkCredentials',
  async t => {
    const { post } = await setUp(t)
    const bad = fc.oneof(
      fc
        .constantFrom(
          '80',
          'bf',
          'c0 80',
          'c0 af',
          'c1 bf',
          'c2',
          'e0 80 80',
          'e0 9f bf',
          'e2 82',
          'ed a0 80',
          'ed bf bf',
          'ed a0 bd ed b8 80',
          'f0 80 80 80',
          'f0 9f a6',
          'f4 90 80 80',
          'f5 80 80 80',
          'f8 88 80 80 80',
          'fe',
          'ff',
          '00'
        )
        .map(hex => Buffer.from(hex.replaceAll(' ', ''), 'hex')),
      fc
        .constantFrom(
          '\\u0000',
          '\\ud800',
          '\\uDBFF',
          '\\udc00',
          '\\udfff',
          '\\ude00\\ud83d',
          '\\ud83d\\ud83d\\ude00',
          '\\ud83dx'
        )
        .map(text => Buffer.from(text)),
      fc
        .uint8Array({ minLength: 1, maxLength: 4, min: 0x80 })
        .filter(bytes => !isUtf8(bytes))
        .map(bytes => Buffer.from(bytes))
    )
    const where = fc.constantFrom('username', 'password', 'company', 'a key')
    const ascii = fc.string({ unit: fc.constantFrom(...'ab z9'), maxLength: 5 })
    await holds(
      t,
      fc.asyncProperty(bad, where, ascii, ascii, async (bad, where, before, after) => {
        const value = (place: string) =>
          Buffer.concat([
            Buffer.from(`"${before}`),
            place === where ? bad : Buffer.from('x'),
            Buffer.from(`${after}"`)
          ])
        const member = (place: string) => [Buffer.from(`,"${place}":`), value(place)]
        const body = [
          Buffer.from('{"fields":{'),
          value('a key'),
          Buffer.from(':"x"'),
          ...['username', 'password', 'company'].flatMap(member),
          Buffer.from('}}')
        ]
        const { response, fields } = await post(Buffer.concat(body))
        assert.deepEqual([response.statusCode, fields], [400, undefined])
      }),
      3
    )
  }
)

t.test('a byte order mark is a 400 before the body and a character inside a password', async t => {
  const { post } = await setUp(t)
  const mark = fc.constantFrom('efbbbf', 'fffe', 'feff', '0000feff', 'fffe0000', 'efbbbfefbbbf', '2b2f76382d')
  const encoding = fc.constantFrom<BufferEncoding>('utf8', 'utf16le')
  await holds(
    t,
    fc.asyncProperty(mark, encoding, password, async (mark, encoding, password) => {
      const json = JSON.stringify({ fields: { username: 'a', password } })
      const { response, fields } = await post(
        Buffer.concat([Buffer.from(mark, 'hex'), Buffer.from(json, encoding)])
      )
      assert.deepEqual([response.statusCode, fields], [400, undefined])
      const inside = `\ufeff${password}\ufeff`
      assert.equal(
        (await post(JSON.stringify({ fields: { username: 'a', password: inside } }))).fields?.password,
        inside
      )
    })
  )
})
