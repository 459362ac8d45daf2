// Warnings, skipped cases, and what a report shows of a client.
import t from 'tap'
import { ENTERED, MinimalClient } from './minimal-client.ts'
import { reportOn } from './report-on.ts'

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
