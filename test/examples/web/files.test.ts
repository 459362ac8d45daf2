// The files of the web client are public, and no other file is.

import { createHash } from 'node:crypto'
import t from 'tap'
import { readConfig } from '../../../examples/server/config.ts'
import { webClient } from '../../../examples/server/web-client.ts'
import { host } from '../../helpers.ts'

t.test('the files of the web client are public and have a strict Content-Security-Policy', async t => {
  const app = await host(t)
  await app.register(webClient)
  for (const url of ['/', '/web/app.js', '/web/htm.js', '/web/inter.woff2', '/client/session.js', '/brand/logo.svg']) {
    const { statusCode, headers } = await app.inject(url)
    t.equal(statusCode, 200, url)
    const policy = headers['content-security-policy']
    t.match(policy, /^default-src 'none';script-src 'self' 'sha256-[\w+/]{43}=';/)
    t.notMatch(policy, /unsafe|\*/)
  }
})

t.test('the Content-Security-Policy allows the import map of the page and no other inline script', async t => {
  const app = await host(t)
  await app.register(webClient)
  const { body, headers } = await app.inject('/')
  const scripts = [...body.matchAll(/<script[^>]*>(.+?)<\/script>/gs)].map(([, script = '']) => script)
  t.equal(scripts.length, 1)
  const hash = createHash('sha256').update(scripts.join()).digest('base64')
  t.match(headers['content-security-policy'], `script-src 'self' 'sha256-${hash}';`)
})

t.test('only the logo and the stylesheet of the brand folder are served', async t => {
  const brand = t.testdir({
    'logo.svg': '<svg/>',
    'brand.css': ':root {}',
    secret: 'x',
    more: { 'logo.svg': 'x' }
  })
  const app = await host(t)
  await app.register(webClient, { brand })
  t.equal((await app.inject('/brand/logo.svg')).body, '<svg/>')
  t.equal((await app.inject('/brand/brand.css')).body, ':root {}')
  for (const url of ['/brand/secret', '/brand/more/logo.svg', '/brand/', '/brand/..%2fpackage.json'])
    t.match((await app.inject(url)).statusCode, /40[134]/, url)
})

t.test('a brand folder without a logo or a stylesheet ends the start with the name of the setting', async t => {
  const folders = ['/nowhere', '', t.testdir({ 'brand.css': '' })]
  for (const SVC_BRAND of folders)
    t.throws(() => readConfig({ SVC_BRAND }), { message: /^SVC_BRAND must be a folder with .*; unset it/ })
})

t.test('a folder with a logo and a stylesheet is accepted as the brand', async t => {
  const SVC_BRAND = t.testdir({ 'brand.css': '', 'logo.svg': '' })
  t.equal(readConfig({ SVC_BRAND, SVC_DATABASE_URL: 'file:x.db' }).brand, SVC_BRAND)
  t.equal(readConfig({ SVC_DATABASE_URL: 'file:x.db' }).brand, undefined)
})

t.test('no other path is public', async t => {
  const app = await host(t)
  await app.register(webClient)
  const statusOf = async (url: string) => (await app.inject(url)).statusCode
  for (const url of ['/web', '/client', '/server/main.ts', '/index.html', '/package.json'])
    t.equal(await statusOf(url), 401, url)
  for (const url of ['/web/nothing', '/web/..%2fserver/main.ts', '/client/..%2f..%2fpackage.json'])
    t.match(await statusOf(url), /40[34]/, url)
  t.equal((await app.inject({ method: 'POST', url: '/web/app.js' })).statusCode, 401)
})

t.test('below a prefix the page redirects to its address with a trailing slash', async t => {
  const app = await host(t)
  await app.register(webClient, { prefix: '/v1' })
  const { statusCode, headers } = await app.inject('/v1')
  t.equal(statusCode, 302)
  t.equal(headers.location, '/v1/')
  t.equal((await app.inject('/v1/')).statusCode, 200)
  t.equal((await app.inject('/v1/web/app.js')).statusCode, 200)
  t.equal((await app.inject('/')).statusCode, 401)
})
