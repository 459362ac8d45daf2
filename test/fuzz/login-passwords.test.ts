import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { password, seed, spelled } from './login-arbitraries.ts'
import { setUp } from './login-judge.ts'
import { holds, MANY } from './runs.ts'

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
