// Server-sent events behind the login: sse.js.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../../helpers.ts'
import { post, preload, recipe, request, statusOf, tokenOf } from '../program.ts'

/** Starts sse.js. Its store fails while the file `down` exists, and it prints a line for each cleared timer. */
async function start(t: Test, env = {}) {
  const down = join(t.testdir({}), 'down')
  const NODE_OPTIONS = preload(`
    import { existsSync } from 'node:fs'
    const { get } = Map.prototype
    Map.prototype.get = function (key) {
      if (String(key).includes('screen_auth_opaque') && existsSync(${JSON.stringify(down)})) throw new Error('down')
      return get.call(this, key)
    }
    const clear = globalThis.clearInterval
    globalThis.clearInterval = timer => { clear(timer); process.stdout.write('cleared\\n') }
  `)
  const server = recipe(t, 'sse.js', { CHECK_SECONDS: '0.05', NODE_OPTIONS, ...env })
  return { server, down, url: await server.listening() }
}

/** Opens a stream, and collects its text. */
async function open(t: Test, url: string, token: string) {
  const controller = new AbortController()
  t.teardown(() => controller.abort())
  const response = await request(`${url}/events`, token, { signal: controller.signal })
  const stream = { response, text: '', leave: () => controller.abort(), ended: Promise.resolve() }
  const read = async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) stream.text += text
  }
  stream.ended = read().catch(() => {})
  await until(() => stream.text.includes('event: welcome'))
  return stream
}

t.test('a stream needs a token and receives the events', async t => {
  const { url } = await start(t)
  t.equal(await statusOf(`${url}/events`), 401)
  const token = await tokenOf(url)
  const stream = await open(t, url, token)
  t.match(stream.response.headers.get('content-type'), 'text/event-stream')
  t.equal((await post(`${url}/notes`, { text: 'one\n\ndata: two' }, token)).status, 204)
  const note = 'event: note\ndata: {"from":"Ada Lovelace","text":"one\\n\\ndata: two"}\n\n'
  await until(() => stream.text.includes(note))
  await until(() => stream.text.endsWith(': still here\n\n'))
  t.equal((await request(`${url}/events`, token, { method: 'HEAD' })).status, 404)
})

t.test('a stream reports the end of its session and closes, and other streams continue', async t => {
  const { url } = await start(t)
  const [ended, other] = [await tokenOf(url), await tokenOf(url)]
  const [stream, survivor] = [await open(t, url, ended), await open(t, url, other)]
  await post(`${url}/auth/logout`, {}, ended)
  await stream.ended
  t.ok(stream.text.endsWith('event: logged-out\ndata: {}\n\n'))
  const { length } = survivor.text
  await until(() => survivor.text.length > length)
})

t.test('an open stream does not renew an idle session', async t => {
  const { url } = await start(t, { IDLE_SECONDS: '2' })
  const stream = await open(t, url, await tokenOf(url))
  await stream.ended
  t.match(stream.text, 'event: logged-out')
})

t.test('a stream closes without a logged-out event if the store fails', async t => {
  const { url, down } = await start(t)
  const token = await tokenOf(url)
  const stream = await open(t, url, token)
  writeFileSync(down, '')
  await stream.ended
  t.notMatch(stream.text, 'logged-out')
  t.equal(await statusOf(`${url}/events`, token), 503)
  rmSync(down)
  await open(t, url, token)
})

t.test('the server clears its timer when a client disconnects', async t => {
  const { url, server } = await start(t)
  const { leave } = await open(t, url, await tokenOf(url))
  t.notMatch(server.output, 'cleared')
  leave()
  await until(() => server.output.includes('cleared'))
})

t.test('an open stream does not prevent the server from closing', async t => {
  const { url, server } = await start(t, { CHECK_SECONDS: '60' })
  const stream = await open(t, url, await tokenOf(url))
  t.equal(await server.stop('SIGTERM'), 0)
  await stream.ended
  t.notMatch(stream.text, 'logged-out')
})
