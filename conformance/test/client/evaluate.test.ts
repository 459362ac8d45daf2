// Whether the kit can tell: a client that conforms passes, and each that breaks a clause fails by that clause.

import { readFile } from 'node:fs/promises'
import t from 'tap'
import { brokenClients } from './broken-clients.ts'
import { compressingClients, conformingClients } from './conforming-clients.ts'
import { ENTERED, MinimalClient, reportOn, SlowClock } from './minimal-client.ts'

for (const { name, scenarios, client } of conformingClients) {
  for (const scenario of scenarios) {
    t.test(`a client conforms that ${name} (${scenario})`, async t => {
      const { conforms, results, obstacle } = await reportOn(client, scenario)
      t.strictSame(
        results.filter(({ status }) => status !== 'ok'),
        []
      )
      t.ok(results.length > 4)
      t.equal(obstacle, undefined)
      t.equal(conforms, true)
    })
  }
}

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

/** A clock whose sleeps end when so many have begun: the responses wait for each other. */
function meeting(count: number) {
  const clock = new SlowClock()
  const sleepers: (() => void)[] = []
  clock.sleep = () =>
    new Promise<void>(resolve => {
      sleepers.push(resolve)
      if (sleepers.length >= count) for (const wake of sleepers.splice(0)) wake()
    })
  return clock
}

t.test('requests that are sent in parallel violate nothing', async t => {
  class Parallel extends MinimalClient {
    override async start() {
      const [response] = await Promise.all([this.send('GET', '/menu/main'), this.send('GET', '/settings')])
      return response?.status === 401 ? this.logIn() : response?.body
    }
    /** A double click. */
    override async submit(form: object) {
      const [response] = await Promise.all([super.submit(form as never), super.submit(form as never)])
      return response as NonNullable<typeof response>
    }
    override async open(url: string) {
      const [response] = await Promise.all([this.send('GET', url), this.send('GET', '/screen/second')])
      if (response?.status === 401) await this.expired(url)
    }
  }
  for (const scenario of ['login', 'reject-then-login', 'login-then-expire'] as const) {
    const { results } = await reportOn(Parallel, scenario, {}, meeting(2))
    t.strictSame(
      results.filter(({ status }) => status !== 'ok'),
      [],
      scenario
    )
  }
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

t.test('no broken client passes, and the pages about it say how many there are', async t => {
  const rate = `${found} of ${brokenClients.length} broken clients`
  t.comment(`the kit finds ${rate}`)
  t.equal(found, brokenClients.length)
  for (const page of ['conformance/docs/checking.md', 'README.md']) {
    const text = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8')
    t.match(text.replaceAll(/\s+/g, ' '), rate, page)
  }
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
  t.match(JSON.stringify(report), /Bearer <the token>/)
})

t.test('a session can expire only for a client that sends a request in it', async t => {
  class Content extends MinimalClient {
    override async open() {}
  }
  const { conforms, counts, obstacle } = await reportOn(Content, 'login-then-expire')
  t.equal(conforms, false)
  t.equal(counts.failed, 0)
  t.match(obstacle, /^the client did not come so far: After a 401 during the session .*\(login-then-expire\)/)
})

t.test('the report names what was judged in no scenario', async t => {
  class Content extends MinimalClient {
    override async open() {}
  }
  const unknown = { username: undefined, password: undefined }
  const { notJudged } = await reportOn(Content, 'login', unknown)
  t.strictSame(
    notJudged.map(({ give }) => give),
    [
      '--username and --password',
      '--expect reject-then-login',
      'a client that does every step of login',
      'a client that does every step of login',
      '--expect login-then-expire',
      '--expect start-again',
      '--expect no-auth'
    ]
  )
})

t.test('a client that starts again without a token is told so', async t => {
  const { hints, conforms } = await reportOn(MinimalClient, 'start-again')
  t.equal(conforms, true)
  t.match(hints, [/came without a stored token/])
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
  const secret = 'cobol-60-cobol-60-cobol-60-cobol'
  class Odd extends MinimalClient {
    override async start() {
      const menu = await super.start()
      await this.send('POST', `/x/${secret}?p=${secret}`, {
        body: `p=${secret}`,
        headers: { cookie: `p=${secret}` }
      })
      await this.send('PUT', '/x', { headers: { authorization: `Basic ${btoa(secret)}` } })
      await this.send('PUT', '/x', { headers: { authorization: secret } })
      await this.send('PUT', '/x', { body: [null, 1, { secret }], headers: { authorization: 'Bearer null' } })
      return menu
    }
  }
  const { results } = await reportOn(Odd, 'no-auth', { password: secret })
  const { failures } = results.find(({ id }) => id === 'sends-credentials-nowhere-else') ?? {}
  t.strictSame(
    failures?.map(({ sent }) => sent),
    [
      'POST /x/<long>?p=<value>\ncontent-type: text/plain;charset=UTF-8\ncookie: p=<value>\n<34 bytes that are no JSON>',
      'PUT /x\nauthorization: Basic <something else, 44 characters>',
      'PUT /x\nauthorization: <something else, 32 characters>',
      'PUT /x\nauthorization: Bearer null\ncontent-type: application/json\n["<null>","<number>",{"secret":"<string>"}]'
    ]
  )
})

t.test('a body that is compressed is read, with a warning', async t => {
  for (const client of compressingClients) {
    const { conforms, results } = await reportOn(client, 'login')
    t.equal(conforms, true)
    t.strictSame(
      results.filter(({ status }) => status !== 'ok').map(({ id, status }) => `${status} ${id}`),
      ['warning sends-json-type']
    )
  }
})
