// Whether the kit can tell: a client that conforms passes, and each that breaks a clause fails by that clause.

import { readFile } from 'node:fs/promises'
import t from 'tap'
import { brokenClients } from './broken-clients.ts'
import { ENTERED, MinimalClient } from './minimal-client.ts'
import { reportOn, SlowClock } from './report-on.ts'

for (const scenario of ['login', 'reject-then-login', 'login-then-expire', 'no-auth'] as const) {
  t.test(`a client conforms: ${scenario}`, async t => {
    const { conforms, results } = await reportOn(MinimalClient, scenario)
    t.strictSame(
      results.filter(({ status }) => status !== 'ok'),
      []
    )
    t.ok(results.length > 4)
    t.equal(conforms, true)
  })
}

t.test('a client may come back to the login by way of the menu, without a token', async t => {
  class Roundabout extends MinimalClient {
    override async expired(url: string) {
      this.token = undefined
      if ((await this.start()) !== undefined) await this.send('GET', url)
    }
  }
  t.equal((await reportOn(Roundabout, 'login-then-expire')).conforms, true)
})

t.test('preflights and the requests of a browser itself are not checked', async t => {
  class Browser extends MinimalClient {
    override async send(...args: Parameters<MinimalClient['send']>) {
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

t.test('the entered values are checked only when the kit knows them', async t => {
  class Trimming extends MinimalClient {
    override fields() {
      return { username: 'someone', password: 'else' }
    }
  }
  t.equal((await reportOn(Trimming, 'login', { username: undefined, password: undefined })).conforms, true)
  t.equal((await reportOn(Trimming, 'login')).conforms, false)
})

t.test('a client may stop after the login', async t => {
  class Content extends MinimalClient {
    override async open() {}
  }
  t.equal((await reportOn(Content, 'login')).conforms, true)
})

t.test('a menu that is fetched again at once does not end the session', async t => {
  class Again extends MinimalClient {
    override async welcome(screen: object) {
      t.equal((await this.send('GET', '/menu/main')).status, 200)
      return screen
    }
  }
  const { results } = await reportOn(Again, 'login-then-expire')
  t.strictSame(
    results.filter(({ status }) => status === 'failed').map(({ id }) => id),
    ['shows-menu-from-answer']
  )
})

t.test('a person may open the menu a second after the login', async t => {
  const clock = new SlowClock()
  class Later extends MinimalClient {
    override async welcome(screen: object) {
      clock.advance(1000)
      await this.send('GET', '/menu/main')
      return screen
    }
  }
  t.equal((await reportOn(Later, 'login', {}, clock)).conforms, true)
})

t.test('requests that are under way when the session expires violate nothing', async t => {
  const clock = new SlowClock()
  // The responses wait until the server has got both requests.
  let waiting = 0
  let release = () => {}
  const both = new Promise<void>(resolve => {
    release = resolve
  })
  clock.sleep = () => {
    if (++waiting === 2) release()
    return both
  }
  class Parallel extends MinimalClient {
    override async open(url: string) {
      const [response] = await Promise.all([this.send('GET', url), this.send('GET', '/screen/second')])
      if (response?.status === 401) await this.expired(url)
    }
  }
  const { results } = await reportOn(Parallel, 'login-then-expire', {}, clock)
  t.strictSame(
    results.filter(({ status }) => status !== 'ok'),
    []
  )
  t.equal(waiting, 2)
})

t.test('an ordinary word may be a password', async t => {
  for (const password of ['node', 'json', 'main', 'login', 'abc']) {
    class Ordinary extends MinimalClient {
      override fields() {
        return { username: password, password }
      }
    }
    const { conforms } = await reportOn(Ordinary, 'login', { username: undefined, password: undefined })
    t.equal(conforms, true, password)
  }
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

t.test('no broken client passes, and the page about it says how many there are', async t => {
  const rate = `${found} of ${brokenClients.length} broken clients`
  t.comment(`the kit finds ${rate}`)
  t.equal(found, brokenClients.length)
  t.match(await readFile(new URL('../../../docs/conformance.md', import.meta.url), 'utf8'), rate)
})

t.test('a violated SHOULD is a warning', async t => {
  class Careless extends MinimalClient {
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
  class Leaky extends MinimalClient {
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

t.test('a session can expire only for a client that sends a request in it', async t => {
  class Content extends MinimalClient {
    override async open() {}
  }
  const { results } = await reportOn(Content, 'login-then-expire')
  const came = results.find(({ id }) => id === 'sends-token-unchanged')?.failures?.map(one => one.came)
  t.strictSame(came, ['sent no request after the login'])
})

t.test('a case without a request to check is skipped, not passed', async t => {
  class Idle extends MinimalClient {
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

t.test('a report shows the kind of each value that was sent, and no value', async t => {
  class Odd extends MinimalClient {
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
