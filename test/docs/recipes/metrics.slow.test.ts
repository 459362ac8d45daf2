import t, { type Test } from 'tap'
import { bearer } from '../../helpers.ts'
import { failingFor, logIn, recipe, tokenOf } from '../program.ts'

async function start(t: Test, env: Record<string, string> = {}) {
  const program = recipe(t, 'metrics.js', env)
  const url = await program.listening()
  const scraped = await program.listening(9464)
  const scrape = async () => (await fetch(`${scraped}/metrics`)).text()
  return {
    url,
    /** The value of the metric with these labels, in the order of the recipe; undefined when there is none. */
    value: async (name: string, labels: string) =>
      (await scrape())
        .split('\n')
        .find(line => line.startsWith(`${name}{${labels}} `))
        ?.split(' ')
        .at(-1),
    scrape
  }
}

t.test('requests are counted by method, pattern and status, those without a token too', async t => {
  const { url, value } = await start(t)
  const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
  for (const id of ['1', '2', '3']) await (await fetch(`${url}/screen/order/${id}`, { headers })).text()
  await (await fetch(`${url}/screen/order/4`)).text()

  const count = (status: number) =>
    value('http_request_duration_seconds_count', `method="GET",route="/screen/order/:id",status="${status}"`)
  t.equal(await count(200), '3')
  t.equal(await count(401), '1')
})

t.test('however many URLs a client thinks of, no label has one', async t => {
  const { url, value, scrape } = await start(t)
  const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
  for (const path of ['/wp-login.php', '/invented?secret=1', '/screen/order/1/invented']) {
    t.equal((await fetch(url + path)).status, 401)
    t.equal((await fetch(url + path, { headers })).status, 404)
  }

  const count = (status: number) =>
    value('http_request_duration_seconds_count', `method="GET",route="unknown",status="${status}"`)
  t.equal(await count(404), '3')
  t.equal(await count(401), '3')
  t.notMatch(await scrape(), /invented|wp-login|secret/)
})

t.test('logins are counted by outcome', async t => {
  const { url, value } = await start(t, failingFor('unlucky'))
  const outcomes = async () => {
    const names = ['accepted', 'rejected', 'blocked', 'overloaded', 'failed', 'malformed']
    const values = names.map(async name => [name, await value('logins_total', `outcome="${name}"`)])
    return Object.fromEntries(await Promise.all(values))
  }
  const none = { accepted: '0', rejected: '0', blocked: '0', overloaded: '0', failed: '0' }
  t.strictSame(await outcomes(), { ...none, malformed: undefined })

  await tokenOf(url, 'ada', 'correct horse')
  for (let guess = 0; guess < 10; guess++) await (await logIn(url, 'bob', 'wrong')).text()
  const blocked = await logIn(url, 'bob', 'wrong')
  t.ok(blocked.headers.has('retry-after'))
  await blocked.text()
  const failed = await logIn(url, 'unlucky', 'wrong')
  t.equal(failed.status, 500)
  await failed.text()
  await (await fetch(`${url}/auth/login`, { method: 'POST', body: 'no JSON' })).text()
  await (await fetch(`${url}/auth/login`)).text()
  t.strictSame(await outcomes(), {
    accepted: '1',
    rejected: '10',
    blocked: '1',
    overloaded: '0',
    failed: '1',
    malformed: '1'
  })
})

t.test('refused requests are counted by reason', async t => {
  const { url, value } = await start(t)
  const reasons = async () => {
    const values = ['missing', 'invalid', 'unavailable'].map(name =>
      value('refusals_total', `reason="${name}"`)
    )
    return Promise.all(values)
  }
  t.strictSame(await reasons(), ['0', '0', '0'])
  for (const path of ['/menu/main', '/unknown']) await (await fetch(url + path)).text()
  await (await fetch(`${url}/menu/main`, { headers: bearer('no-token-of-ours') })).text()
  t.strictSame(await reasons(), ['2', '1', '0'])
})

t.test(
  'the metrics need no token where the scraper asks, and are not on the port of the clients',
  async t => {
    const { url, scrape } = await start(t)
    t.match(await scrape(), /^process_cpu_seconds_total /m)
    t.equal((await fetch(`${url}/metrics`)).status, 401)
    const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
    t.equal((await fetch(`${url}/metrics`, { headers })).status, 404)
  }
)
