// How the web client is served: its files are public, and nothing else is.

import t from 'tap'
import { webClient } from '../../../examples/server/web-client.ts'
import { host } from '../../helpers.ts'

t.test('the files of the web client are public, with a strict policy', async t => {
  const app = await host(t)
  await app.register(webClient)
  for (const url of ['/', '/web/app.js', '/web/style.css', '/client/session.js']) {
    const { statusCode, headers } = await app.inject(url)
    t.equal(statusCode, 200, url)
    const policy = headers['content-security-policy']
    t.match(policy, /^default-src 'none';script-src 'self';/)
    t.notMatch(policy, /unsafe|\*/)
  }
})

t.test('no other path is', async t => {
  const app = await host(t)
  await app.register(webClient)
  const statusOf = async (url: string) => (await app.inject(url)).statusCode
  for (const url of ['/web', '/client', '/server/main.ts', '/index.html', '/package.json'])
    t.equal(await statusOf(url), 401, url)
  for (const url of ['/web/nothing', '/web/..%2fserver/main.ts', '/client/..%2f..%2fpackage.json'])
    t.match(await statusOf(url), /40[34]/, url)
  t.equal((await app.inject({ method: 'POST', url: '/web/app.js' })).statusCode, 401)
})

t.test('below a prefix the page has an address with a slash at its end', async t => {
  const app = await host(t)
  await app.register(webClient, { prefix: '/v1' })
  const { statusCode, headers } = await app.inject('/v1')
  t.equal(statusCode, 302)
  t.equal(headers.location, '/v1/')
  t.equal((await app.inject('/v1/')).statusCode, 200)
  t.equal((await app.inject('/v1/web/app.js')).statusCode, 200)
  t.equal((await app.inject('/')).statusCode, 401)
})
