// Whether the kit can tell: a client that conforms passes, and each that breaks a clause fails by that clause.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { type Report, type Scenario, type WatchClientOptions, watchClient } from '../../conformance/index.ts'
import { BareClient, brokenClients, ENTERED } from './bare-client.ts'

/** The kit's report on a client that is used in a scenario. */
async function reportOn(
  client: typeof BareClient,
  scenario: Scenario,
  options: WatchClientOptions = {}
): Promise<Report> {
  const { url, report } = await watchClient({
    expect: [scenario],
    settle: 0.5,
    timeout: 2,
    ...ENTERED,
    ...options
  })
  // A broken one may end in an error of its own.
  await Promise.allSettled([new client(url).use()])
  return report
}

const SCENARIOS = ['login', 'reject-then-login', 'login-then-expire', 'no-auth'] as const

for (const scenario of SCENARIOS) {
  t.test(`a client conforms: ${scenario}`, async t => {
    const { conforms, results } = await reportOn(BareClient, scenario)
    t.strictSame(
      results.filter(({ status }) => status !== 'ok'),
      []
    )
    t.ok(results.length > 4)
    t.equal(conforms, true)
  })
}

t.test('a client may come back to the login by way of the menu, without a token', async t => {
  class Roundabout extends BareClient {
    override async expired(url: string) {
      this.token = undefined
      if ((await this.start()) !== undefined) await this.send('GET', url)
    }
  }
  t.equal((await reportOn(Roundabout, 'login-then-expire')).conforms, true)
})

t.test('preflights and what a browser asks for by itself are not judged', async t => {
  class Browser extends BareClient {
    override async send(...args: Parameters<BareClient['send']>) {
      const response = await fetch(this.base + args[1], {
        method: 'OPTIONS',
        headers: { origin: 'http://app.example', 'access-control-request-headers': 'authorization' }
      })
      t.equal(response.status, 204)
      t.equal(response.headers.get('access-control-allow-origin'), 'http://app.example')
      t.equal(response.headers.get('access-control-allow-headers'), 'authorization')
      await fetch(`${this.base}/favicon.ico`)
      return super.send(...args)
    }
  }
  t.equal((await reportOn(Browser, 'login-then-expire')).conforms, true)
})

t.test('what was entered is judged only when the kit was told', async t => {
  class Trimming extends BareClient {
    override fields() {
      return { username: 'someone', password: 'else' }
    }
  }
  t.equal((await reportOn(Trimming, 'login', { username: undefined, password: undefined })).conforms, true)
  t.equal((await reportOn(Trimming, 'login')).conforms, false)
})

t.test('a client may stop after the login', async t => {
  class Content extends BareClient {
    override async open() {}
  }
  t.equal((await reportOn(Content, 'login')).conforms, true)
})

t.test('a menu that is fetched again at once is not yet the request that ends the session', async t => {
  class Again extends BareClient {
    override async welcome(screen: object) {
      await this.send('GET', '/menu/main')
      return screen
    }
  }
  const { results } = await reportOn(Again, 'login-then-expire')
  t.strictSame(
    results.filter(({ status }) => status === 'failed').map(({ id }) => id),
    ['shows-menu-from-answer']
  )
})

t.test('what an RFC advises is a warning', async t => {
  class Careless extends BareClient {
    override fields(form: object) {
      return { ...super.fields(form), remember: 'yes' }
    }
    override authorization() {
      return { authorization: `Bearer ${this.token}` }
    }
    override async start() {
      await this.send('GET', '/menu/main')
      return super.start()
    }
    override submit(form: { auth_action: string }) {
      const body = JSON.stringify({ fields: this.fields(form) })
      return this.send('POST', form.auth_action, { body, headers: { cookie: `old=${this.token}` } })
    }
    override async open(url: string) {
      return super.open(`${url}?token=${this.token}`)
    }
  }
  const { conforms, results } = await reportOn(Careless, 'login')
  t.equal(conforms, true)
  t.strictSame(
    results.filter(({ status }) => status === 'warning').map(({ id }) => id),
    [
      'fetches-form-at-once',
      'sends-no-other-fields',
      'sends-json-type',
      'sends-token-nowhere-else',
      'sends-no-made-up-token'
    ]
  )
  const free = await reportOn(Careless, 'no-auth')
  t.ok(free.results.some(({ id, status }) => id === 'sends-no-token-without-login' && status === 'warning'))
})

t.test('a report shows neither the token nor the password', async t => {
  class Leaky extends BareClient {
    override async open(url: string) {
      await this.send('POST', `${url}?token=${this.token}`, { body: ENTERED })
    }
  }
  const report = await reportOn(Leaky, 'login')
  t.equal(report.conforms, false)
  t.notMatch(JSON.stringify(report), /cobol|aZ0/)
  t.match(JSON.stringify(report), /<string>/)
  t.match(JSON.stringify(report), /<token>/)
})

const reports = await Promise.all(brokenClients.map(({ client, scenario }) => reportOn(client, scenario)))
let found = 0
for (const [index, { name, clause, scenario }] of brokenClients.entries()) {
  t.test(`${clause}: a client that ${name} (${scenario})`, async t => {
    const failed = reports[index]?.results.filter(({ status }) => status === 'failed') ?? []
    const named = failed.flatMap(one => [one.clause, ...(one.also ?? [])])
    if (t.ok(named.includes(clause), `fails ${clause}`, { named })) found++
  })
}

t.test('no broken client passes, and the README says how many there are', async t => {
  const rate = `${found} of ${brokenClients.length} broken clients`
  t.comment(`the kit finds ${rate}`)
  t.equal(found, brokenClients.length)
  t.match(await readFile(new URL('../../README.md', import.meta.url), 'utf8'), rate)
})

t.test('the scenarios are played one after the other on one address', async t => {
  const begun: string[] = []
  const told: string[] = []
  const { url, report, next } = await watchClient({
    timeout: 5,
    settle: Number.POSITIVE_INFINITY,
    onScenario: scenario => begun.push(scenario),
    onResult: ({ id }, total) => told.push(`${id} of ${total}`)
  })
  for (const count of [1, 2, 3]) {
    await new BareClient(url).use()
    t.equal(begun.length, count)
    next()
    await setTimeout(60)
  }
  const { conforms, target, side, results } = await report
  t.strictSame(begun, ['reject-then-login', 'login-then-expire', 'no-auth'])
  t.match({ conforms, target, side }, { conforms: true, target: url, side: 'client' })
  t.equal(told.length, results.length)
})

t.test('a client that breaks off in the middle of a request does no harm', async t => {
  const { url, report } = await watchClient({ expect: ['login'], settle: 0.5, timeout: 2 })
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write('POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
  await setTimeout(50)
  socket.destroy()
  await new BareClient(url).use()
  t.equal((await report).conforms, true)
})

t.test('requests that were under way when the session ended are no offence', async t => {
  class Parallel extends BareClient {
    override async open(url: string) {
      const [answer] = await Promise.all([this.send('GET', url), this.send('GET', '/screen/second')])
      if (answer?.status === 401) await this.expired(url)
    }
  }
  const { results } = await reportOn(Parallel, 'login-then-expire')
  t.strictSame(
    results.filter(({ status }) => status !== 'ok'),
    []
  )
})

t.test('an ordinary word may be a password', async t => {
  for (const password of ['node', 'json', 'main', 'login', 'abc']) {
    class Ordinary extends BareClient {
      override fields() {
        return { username: password, password }
      }
    }
    const { conforms } = await reportOn(Ordinary, 'login', { username: undefined, password: undefined })
    t.equal(conforms, true, password)
  }
})

t.test('a client that does not come to the later scenarios fails them', async t => {
  const { url, report } = await watchClient({ expect: ['login', 'no-auth'], settle: 0.2, timeout: 0.5 })
  await new BareClient(url).use()
  const { results, conforms } = await report
  t.equal(conforms, false)
  const failed = results.filter(({ status }) => status === 'failed')
  t.match(failed, [{ id: 'asks-for-menu-first', failures: [{ sent: 'nothing', came: 'sent no request' }] }])
})

t.test('a session can end only for a client that does something in it', async t => {
  class Content extends BareClient {
    override async open() {}
  }
  const { results } = await reportOn(Content, 'login-then-expire')
  const came = results.find(({ id }) => id === 'sends-token-unchanged')?.failures?.map(one => one.came)
  t.strictSame(came, ['sent no request after the login'])
})

t.test('what a client did not come to is skipped, not passed', async t => {
  class Idle extends BareClient {
    override async logIn() {}
  }
  const { results } = await reportOn(Idle, 'login')
  const statuses = Object.fromEntries(results.map(({ id, status }) => [id, status]))
  t.match(statuses, {
    'asks-for-menu-first': 'ok',
    'fetches-form-on-401': 'failed',
    'sends-auth-request': 'skipped',
    'shows-menu-from-answer': 'skipped',
    'sends-token-unchanged': 'skipped'
  })
})

t.test('a report shows what kind of thing was sent, and no value', async t => {
  class Odd extends BareClient {
    override async logIn() {
      const secret = 'cobol-60-cobol-60-cobol-60-cobol'
      await this.send('POST', `/x/${secret}?p=${secret}`, {
        body: `p=${secret}`,
        headers: { cookie: `p=${secret}` }
      })
      await this.send('PUT', '/x', { headers: { authorization: `Basic ${btoa(secret)}` } })
      await this.send('PUT', '/x', { headers: { authorization: secret } })
      await this.send('PUT', '/x', { body: [null, 1, { secret }] })
    }
  }
  const { results } = await reportOn(Odd, 'login')
  const sent = results.find(({ id }) => id === 'submits-to-auth-action')?.failures?.map(one => one.sent)
  t.strictSame(sent, [
    'POST /x/<long>?p=<value>\ncontent-type: text/plain;charset=UTF-8\ncookie: p=<value>\n<34 bytes that are no JSON>',
    'PUT /x\nauthorization: Basic <something else, 44 characters>',
    'PUT /x\nauthorization: <something else, 32 characters>',
    'PUT /x\ncontent-type: application/json\n["<null>","<number>",{"secret":"<string>"}]'
  ])
})

t.test('it cannot be run when no client comes', async t => {
  const { report } = await watchClient({ expect: ['login'], timeout: 0.1 })
  await t.rejects(report, { name: 'CannotRunError', message: 'no client came within 0.1 s' })
})

t.test('it can be stopped, and grades what was seen', async t => {
  const { url, report, stop, next } = await watchClient()
  next()
  await fetch(`${url}/menu/main`)
  stop()
  const { results, conforms } = await report
  t.equal(conforms, false)
  t.ok(results.every(({ title }) => title.endsWith('(reject-then-login)')))
})

t.test('it cannot be run with wrong options', async t => {
  const { url, stop, report } = await watchClient({ expect: ['login'] })
  const wrong: [object, RegExp][] = [
    [{ expect: ['logout'] }, /no scenario logout, only .*login-then-expire/],
    [{ expect: [] }, /a scenario is needed/],
    [{ timeout: 0 }, /timeout/],
    [{ timeout: Number.NaN }, /timeout/],
    [{ port: 70_000 }, /port must be/],
    [{ port: 1.5 }, /port must be/],
    [{ port: -1 }, /port must be/],
    [{ port: Number(new URL(url).port) }, /cannot start: .*EADDRINUSE/]
  ]
  for (const [options, message] of wrong) {
    await t.rejects(watchClient(options as WatchClientOptions), { name: 'CannotRunError', message })
  }
  stop()
  await t.rejects(report, { message: 'no client came' })
})
