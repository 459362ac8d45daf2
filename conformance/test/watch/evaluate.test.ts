// Conforming clients pass, and each broken client fails the cases that its name names.
import t from 'tap'
import { clientCases } from '../../watch/cases.ts'
import { brokenClients, conformingClients } from './clients.ts'
import { afterLogin, clientWith, ENTERED, faultsIn, reportOn, SlowClock } from './minimal-client.ts'

for (const { name, scenarios, client } of conformingClients) {
  for (const scenario of scenarios) {
    t.test(`a client that ${name} conforms (${scenario})`, async t => {
      const report = await reportOn(client, scenario)
      t.strictSame(faultsIn(report), [])
      t.ok(report.results.length > 4)
      t.equal(report.conforms, true)
    })
  }
}

for (const { name, ids, scenario, client } of brokenClients) {
  t.test(name, async t => {
    const found = faultsIn(await reportOn(client, scenario))
    for (const id of ids) {
      const isMust = clientCases.some(one => one.id === id && one.level === 'MUST')
      t.ok(found.includes(`${isMust ? 'failed' : 'warning'} ${id} (${scenario})`), id, { found })
    }
  })
}

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

t.test('a client may fetch the menu again if a person can have asked for it', async t => {
  const clock = new SlowClock()
  const again = (milliseconds: number) =>
    afterLogin(async client => {
      clock.advance(milliseconds)
      t.equal((await client.send('GET', '/menu/main')).status, 200)
    })
  t.equal((await reportOn(again(1000), 'login', {}, clock)).conforms, true)
  const faults = faultsIn(await reportOn(again(0), 'login-then-expire', {}, clock))
  t.strictSame(faults, ['failed shows-menu-of-login (login-then-expire)'])
})

t.test('a late 401 to a request of the previous session does not end the new session', async t => {
  const clock = new SlowClock()
  const late = clientWith({
    async start() {
      const arrival = new Promise<() => void>(arrived => {
        clock.sleep = () => new Promise(respond => arrived(() => respond(undefined)))
      })
      const unauthorized = this.send('GET', '/screen/first')
      const respond = await arrival
      clock.sleep = SlowClock.prototype.sleep
      const menu = await super.start()
      respond()
      await unauthorized
      t.equal((await this.send('GET', '/screen/first')).status, 200)
      return menu
    }
  })
  await reportOn(late, 'login', {}, clock)
})

t.test('the username is found in the query of auth_action if it is a value there', async t => {
  const isFound = async (query: string) => {
    const client = afterLogin((client, form) => client.send('GET', form.auth_action + query))
    return faultsIn(await reportOn(client, 'login')).includes('failed sends-credentials-nowhere-else (login)')
  }
  for (const query of ['?u=grace', '?grace', '?x=1&u=%67race', '?u=%2567race'])
    t.equal(await isFound(query), true, query)
  for (const query of ['', '?u=', '?grace=1', '?mood=disgrace', '?_=17']) t.equal(await isFound(query), false, query)
})

t.test('an empty username or password is rejected', async t => {
  for (const empty of [{ username: '' }, { password: '' }]) {
    let rejections = 0
    const fields = () => ({ ...ENTERED, ...empty })
    await reportOn(clientWith({ fields, rejected: async () => rejections++ }), 'login')
    t.equal(rejections, 1)
  }
})

t.test('a report describes each request, with the type of each value, and no value', async t => {
  const secret = 'cobol-60-cobol-60-cobol-60-cobol'
  const odd = clientWith({
    async start() {
      const menu = await super.start()
      const cookie = `p=${secret}`
      await this.send('POST', `/x/${secret}?p=${secret}`, { body: `p=${secret}`, headers: { cookie } })
      await this.send('PUT', '/x', { headers: { authorization: `Basic ${btoa(secret)}` } })
      await this.send('PUT', '/x', { headers: { authorization: secret } })
      await this.send('POST', '/cobol-60', { body: { [`p-${secret}`]: 1 }, headers: { cookie: secret } })
      await this.send('PUT', '/x', { body: [null, 1, { secret }], headers: { authorization: 'Bearer null' } })
      await this.send('GET', `/${'x/'.repeat(200)}?p=${secret}`, { headers: { cookie } })
      return menu
    }
  })
  const { results } = await reportOn(odd, 'no-auth', { password: secret })
  const { failures = [] } = results.find(({ id }) => id === 'sends-credentials-nowhere-else') ?? {}
  const came =
    /^the password is in the URL, the header cookie, and the body of POST \S+; it belongs only in .* POST \/\w+\/Auth/
  t.match(failures[0], { came })
  t.strictSame(
    failures.map(({ sent }) => sent),
    [
      'POST /x/<long>?p=<value> | content-type: text/plain;charset=UTF-8 | cookie: p=<value> | <34 bytes that are not JSON>',
      'PUT /x | authorization: Basic <something else, 44 characters>',
      'PUT /x | authorization: <something else, 32 characters>',
      'POST /cobol-60 | content-type: application/json | cookie: <hidden: contains a secret> | <hidden: contains a secret>',
      'PUT /x | authorization: Bearer null | content-type: application/json | ["<null>","<number>",{"secret":"<string>"}]',
      `GET /${'x/'.repeat(200).slice(0, 299)}… | cookie: p=<value>`
    ]
  )
  const leaky = clientWith({
    async open(url) {
      await this.send('POST', `${url}?token=${this.token}`, { body: ENTERED })
    }
  })
  const report = JSON.stringify(await reportOn(leaky, 'login'))
  t.notMatch(report, /cobol|aZ0/)
  t.match(report, /Bearer <the token>/)
})

t.test('a client that does nothing after the login has no verdict', async t => {
  const content = clientWith({ async open() {} })
  const unknown = { username: undefined, password: undefined }
  const { conforms, asExpected, counts, obstacle, notJudged } = await reportOn(content, 'login', unknown)
  t.match({ conforms, asExpected, failed: counts.failed }, { conforms: false, asExpected: false, failed: 0 })
  t.equal(obstacle, 'it sent no request after a login, so the kit never saw its token')
  t.strictSame(
    notJudged.map(({ why }) => why),
    [
      'give --username and --password',
      'give --expect reject-then-login',
      'no request in login showed it',
      'no request in login showed it',
      'give --expect login-then-expire',
      'give --expect start-again',
      'give --expect no-auth'
    ]
  )
})
