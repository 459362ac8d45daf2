import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { ADA, collectLog, FAILURE, host, logIn, PASSWORD, throwing } from '../../helpers.ts'

function post(app: FastifyInstance, payload: string | Buffer, type = 'application/json') {
  return app.inject({ method: 'POST', url: '/auth/login', headers: { 'content-type': type }, payload })
}

t.test('a malformed body gets a 400 AuthResponse, and checkCredentials is not called', async t => {
  let called = 0
  const app = await host(t, { checkCredentials: () => ++called && ADA })
  const malformed: Record<string, string | Buffer> = {
    nothing: '',
    'not JSON': '{"fields":',
    'plain text': 'username=ada',
    null: 'null',
    'a string': '"ada"',
    'a number': '1',
    'an array': '[]',
    'no fields': '{}',
    'fields null': '{"fields":null}',
    'fields a string': '{"fields":"ada"}',
    'fields an array': '{"fields":["ada"]}',
    'a number as value': '{"fields":{"username":1,"password":"x"}}',
    'null as value': '{"fields":{"username":null,"password":"x"}}',
    'true as value': '{"fields":{"username":"ada","password":true}}',
    'an array as value': '{"fields":{"username":["ada"],"password":"x"}}',
    'an object as value': '{"fields":{"username":{"$ne":""},"password":{"$ne":""}}}',
    'a further field that is not a string': '{"fields":{"username":"ada","password":"x","company":1}}',
    'a further field behind a line break': '{"fields":{"username":"ada","password":"x","a\\nb":1}}',
    __proto__: '{"fields":{"username":"ada","password":"x","__proto__":{"a":1}}}',
    'constructor.prototype': '{"fields":{"username":"ada","password":"x"},"constructor":{"prototype":{}}}',
    NUL: '{"fields":{"username":"ada","password":"x\\u0000"}}',
    'NUL in a field id': '{"fields":{"username":"ada","password":"x","a\\u0000":"b"}}',
    'half a character': '{"fields":{"username":"ada","password":"\\ud800"}}',
    'bytes that are not UTF-8': Buffer.from('{"fields":{"username":"ada","password":"\xff"}}', 'latin1'),
    'an overlong encoding': Buffer.from('{"fields":{"username":"\xc0\xaf","password":"x"}}', 'latin1'),
    'a byte order mark': '\ufeff{"fields":{"username":"ada","password":"x"}}',
    'UTF-16': Buffer.from('{"fields":{"username":"ada","password":"x"}}', 'utf16le'),
    'deep nesting': `${'['.repeat(8000)}${']'.repeat(8000)}`,
    'fifty fields': JSON.stringify({ fields: { username: 'ada', password: 'x', ...Array<string>(48).fill('x') } }),
    'a thousand numbers': `{"fields":{"username":"ada","password":"x"},"z":[${'1,'.repeat(1_000)}1]}`
  }
  for (const [name, payload] of Object.entries(malformed)) {
    const response = await post(app, payload)
    t.equal(response.statusCode, 400, name)
    t.strictSame(response.json(), { ...FAILURE, error: 'The login request is malformed.' }, name)
  }
  t.equal((await app.inject({ method: 'POST', url: '/auth/login' })).statusCode, 400, 'no body at all')
  t.equal(called, 0)
})

t.test('only application/json is accepted, in any case and with parameters; other types get 415', async t => {
  const app = await host(t)
  const payload = JSON.stringify({ fields: { username: ADA.username, password: PASSWORD } })
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;foo=bar'])
    t.equal((await post(app, payload, type)).json().success, true, type)
  const types = 'text/plain application/x-www-form-urlencoded application/xml text/json application/jsonx x'
  for (const type of [...types.split(' '), '']) {
    const response = await post(app, payload, type)
    t.equal(response.statusCode, 415, type)
    t.match(response.json(), { ...FAILURE, error: 'The login request must be JSON.' }, type)
  }
})

t.test('the log says why a body is malformed; neither it nor an onError hook of the host quotes it', async t => {
  const wrong: [payload: string | Buffer, reason: string, type?: string][] = [
    ['{"fields":{"password":"hunter2"', 'the body is not JSON'],
    ['hunter2', 'the body is not JSON'],
    ['hunter2', 'the media type of the body is not application/json', 'text/hunter2'],
    ['hunter2'.repeat(3_000), 'the body has more than 16384 bytes'],
    ['hunter2[[{"'.repeat(200), 'the body has too many values'],
    [Buffer.from('{"fields":{"password":"hunter2\xff"}}', 'latin1'), 'the body is not UTF-8'],
    ['\ufeff{"fields":{"password":"hunter2"}}', 'the body starts with a byte order mark'],
    ['{"fields":{"password":["hunter2"]}}', 'the body is not an AuthRequest'],
    ['{"fields":{"password":"hunter2\\u0000"}}', 'a field contains NUL or a lone surrogate']
  ]
  for (const [payload, reason, type] of wrong) {
    const log = collectLog()
    const app = await host(t, {}, log)
    const messages: string[] = []
    app.addHook('onError', async (_request, _reply, error) => void messages.push(error.message))
    await post(app, payload, type)
    const line = log.lines.find(({ event }) => event === 'login')
    t.match(line, { msg: `screen-auth: login malformed, ${reason}`, reason })
    t.notMatch(log.text() + (type ? '' : messages), /hunter2/)
  }
  const log = collectLog()
  const app = await host(t, {}, log)
  app.addHook('preHandler', async () => throwing('hunter2', { statusCode: 403 })())
  await post(app, '{"fields":{}}')
  t.match(log.lines.at(-2), { reason: 'a hook or schema of this server, or Fastify, refused it with status 403' })
})

t.test('a login may have forty fields and a password of quotes, brackets and commas', async t => {
  const seen: unknown[] = []
  const app = await host(t, { checkCredentials: (fields: object) => seen.push(fields) && ADA })
  const fields: Record<string, string> = { username: 'ada', password: '"[{,\\'.repeat(1_500) }
  for (let i = 0; i < 40; i++) fields[`field-${i}`] = 'x, "y"'
  t.equal((await logIn(app, fields)).json().success, true)
  t.strictSame(seen, [fields])
})
