// Conforming clients pass, and each broken client fails with the clause that it violates.

import t from 'tap'
import type { Scenario } from '../../index.ts'
import { matchPages } from '../server/check.ts'
import { brokenClients } from './broken-clients.ts'
import { compressingClients, conformingClients } from './conforming-clients.ts'
import {
  afterLogin,
  before,
  clientWith,
  ENTERED,
  faultsIn,
  MinimalClient,
  reportOn,
  SlowClock
} from './minimal-client.ts'

for (const { name, scenarios, client } of conformingClients) {
  for (const scenario of scenarios) {
    t.test(`a client that ${name} conforms (${scenario})`, async t => {
      const report = await reportOn(client, scenario)
      t.strictSame(faultsIn(report), [])
      t.ok(report.results.length > 4)
      t.equal(report.obstacle, undefined)
      t.equal(report.conforms, true)
    })
  }
}

const reports = await Promise.all(brokenClients.map(({ client, scenario }) => reportOn(client, scenario)))
let found = 0
for (const [index, { name, clause, scenario }] of brokenClients.entries()) {
  t.test(`${clause}: a client that ${name} (${scenario})`, async t => {
    const failed = reports[index]?.results.filter(({ status }) => status === 'failed') ?? []
    const named = failed.flatMap(one => [one.clause, ...(one.also ?? [])])
    if (t.ok(named.includes(clause), `fails ${clause}`, { named })) found++
  })
}

t.test('no broken client passes, and the pages name their number', async t => {
  const rate = `${found} of ${brokenClients.length} broken clients`
  t.comment(`the kit finds ${rate}`)
  t.equal(found, brokenClients.length)
  matchPages(t, rate)
})

const unknown = { username: undefined, password: undefined }

t.test('the session does not end if the client fetches the menu right after the login', async t => {
  const again = afterLogin(async client => t.equal((await client.send('GET', '/menu/main')).status, 200))
  t.strictSame(faultsIn(await reportOn(again, 'login-then-expire')), ['failed shows-menu-of-login (login-then-expire)'])
})

t.test('a person may open the menu a second after the login', async t => {
  const clock = new SlowClock()
  const later = afterLogin(client => {
    clock.advance(1000)
    return client.send('GET', '/menu/main')
  })
  t.equal((await reportOn(later, 'login', {}, clock)).conforms, true)
})

/** A clock whose sleeps end in pairs, so that two responses wait for each other. */
class MeetingClock extends SlowClock {
  #wake: (() => void) | undefined

  override async sleep() {
    if (this.#wake === undefined) return new Promise<void>(resolve => (this.#wake = resolve))
    this.#wake()
    this.#wake = undefined
  }
}

t.test('parallel requests violate nothing', async t => {
  const parallel = clientWith({
    async start() {
      const [response] = await Promise.all([this.send('GET', '/menu/main'), this.send('GET', '/settings')])
      return response.status === 401 ? this.logIn() : response.body
    },
    /** A double click. */
    async submit(form) {
      const [response] = await Promise.all([super.submit(form), super.submit(form)])
      return response
    },
    async open(url) {
      const [response] = await Promise.all([this.send('GET', url), this.send('GET', '/screen/second')])
      if (response.status === 401) await this.expired(url)
    }
  })
  for (const scenario of ['login', 'reject-then-login', 'login-then-expire'] as const)
    t.strictSame(faultsIn(await reportOn(parallel, scenario, {}, new MeetingClock())), [], scenario)
})

t.test('an ordinary word may be a password', async t => {
  for (const password of ['node', 'json', 'main', 'login', 'abc']) {
    const ordinary = clientWith({ fields: () => ({ username: password, password }) })
    t.equal((await reportOn(ordinary, 'login', unknown)).conforms, true, password)
  }
})

t.test('a violated SHOULD is a warning', async t => {
  const careless = clientWith({
    fields: form => ({ ...MinimalClient.prototype.fields(form), remember: 'yes' }),
    authorization() {
      return { authorization: `Bearer ${this.token}` }
    },
    async start() {
      await this.send('GET', '/menu/main')
      return super.start()
    },
    submit(form) {
      const body = JSON.stringify({ fields: this.fields(form) })
      return this.send('POST', form.auth_action, { body, headers: { cookie: `old=${this.token}` } })
    },
    open(url) {
      return super.open(`${url}?token=${this.token}`)
    }
  })
  const report = await reportOn(careless, 'login')
  t.equal(report.conforms, true)
  t.strictSame(faultsIn(report), [
    'warning fetches-form-at-once (login)',
    'warning sends-no-other-fields (login)',
    'warning sends-json-type (login)',
    'warning sends-token-nowhere-else (login)',
    'warning sends-no-made-up-token (login)'
  ])
  const free = faultsIn(await reportOn(careless, 'no-auth'))
  t.ok(free.includes('warning sends-no-token-without-login (no-auth)'))
})

t.test('the kit reads a compressed body, with a warning', async t => {
  for (const client of compressingClients) {
    const report = await reportOn(client, 'login')
    t.equal(report.conforms, true)
    t.strictSame(faultsIn(report), ['warning sends-json-type (login)'])
  }
})

t.test('a report shows neither the token nor the password', async t => {
  const leaky = clientWith({
    async open(url) {
      await this.send('POST', `${url}?token=${this.token}`, { body: ENTERED })
    }
  })
  const report = await reportOn(leaky, 'login')
  t.equal(report.conforms, false)
  t.notMatch(JSON.stringify(report), /cobol|aZ0/)
  t.match(JSON.stringify(report), /<string>/)
  t.match(JSON.stringify(report), /Bearer <the token>/)
})

t.test('a report shows the type of each sent value, and no value', async t => {
  const secret = 'cobol-60-cobol-60-cobol-60-cobol'
  const odd = clientWith({
    async start() {
      const menu = await super.start()
      await this.send('POST', `/x/${secret}?p=${secret}`, {
        body: `p=${secret}`,
        headers: { cookie: `p=${secret}` }
      })
      await this.send('PUT', '/x', { headers: { authorization: `Basic ${btoa(secret)}` } })
      await this.send('PUT', '/x', { headers: { authorization: secret } })
      await this.send('POST', '/cobol-60', { body: { [`p-${secret}`]: 1 }, headers: { cookie: secret } })
      await this.send('PUT', '/x', { body: [null, 1, { secret }], headers: { authorization: 'Bearer null' } })
      return menu
    }
  })
  const { results } = await reportOn(odd, 'no-auth', { password: secret })
  const { failures } = results.find(({ id }) => id === 'sends-credentials-nowhere-else') ?? {}
  t.strictSame(
    failures?.map(({ sent }) => sent),
    [
      'POST /x/<long>?p=<value> | content-type: text/plain;charset=UTF-8 | cookie: p=<value> | <34 bytes that are not JSON>',
      'PUT /x | authorization: Basic <something else, 44 characters>',
      'PUT /x | authorization: <something else, 32 characters>',
      'POST /cobol-60 | content-type: application/json | cookie: <hidden: contains a secret> | <hidden: contains a secret>',
      'PUT /x | authorization: Bearer null | content-type: application/json | ["<null>","<number>",{"secret":"<string>"}]'
    ]
  )
})

t.test('a client that does nothing after the login has no verdict', async t => {
  const content = clientWith({ async open() {} })
  for (const scenario of ['login', 'login-then-expire'] as const) {
    const { conforms, asExpected, counts, obstacle } = await reportOn(content, scenario)
    t.match({ conforms, asExpected, failed: counts.failed }, { conforms: false, asExpected: false, failed: 0 })
    t.match(obstacle, /^it sent no request after a login, so the kit never saw its token$/)
  }
  const { notJudged } = await reportOn(content, 'login', unknown)
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

t.test('a report describes each fault in words', async t => {
  const saysOf = async (client: typeof MinimalClient, scenario: Scenario, wanted: string) => {
    const { results } = await reportOn(client, scenario)
    return results.find(({ id }) => id === wanted)?.failures?.[0]?.came
  }
  const own = clientWith({
    submit(form) {
      return super.submit({ ...form, auth_action: '/auth/login?next=/home' })
    }
  })
  t.match(
    await saysOf(own, 'login', 'submits-to-auth-action'),
    /^the auth_action of the form is \/\w+\/Auth\/Step-1\.do, and the client sent POST \/auth\/login\?next=<value>$/
  )
  const nameless = clientWith({ fields: () => ({ password: 'x' }) })
  t.strictSame(await saysOf(nameless, 'login', 'sends-all-fields'), 'fields has no username')
  const leaky = afterLogin(client => client.send('POST', '/log', { headers: { 'x-log': ENTERED.password } }))
  t.strictSame(await saysOf(leaky, 'login', 'sends-credentials-nowhere-else'), 'the password is in the header x-log')
})

t.test('a report escapes the texts of a client', async t => {
  const strange = before('start')([
    'POST',
    `/##[error]/\u0085`,
    { body: { [`\u2028::error\u202E${'x'.repeat(300)}`]: 1 } }
  ])
  const [{ failures = [] } = {}] = (await reportOn(strange, 'login')).results
  t.equal(failures[0]?.sent.split(' | ').length, 3)
  t.match(failures[0]?.sent, /x…$/, 'a long line is cut')
  t.notMatch(JSON.stringify(failures), /##\[|\p{Cf}|\p{Zl}|\p{Zp}/u)
})

t.test('a case without a request to check is skipped, not passed', async t => {
  const { results } = await reportOn(clientWith({ async logIn() {} }), 'login')
  const statuses = Object.fromEntries(results.map(({ id, status }) => [id, status]))
  t.match(statuses, {
    'asks-for-menu-first': 'ok',
    'fetches-form-on-401': 'failed',
    'sends-auth-request': 'skipped',
    'shows-menu-of-login': 'skipped',
    'sends-token-unchanged': 'skipped'
  })
})
