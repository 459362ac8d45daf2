// What servers do with a connection that carries more than one request.
import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { sendOnOneConnection } from '../../server/one-connection.ts'

interface Match {
  name?: string
  message?: string | RegExp
  reason: string
}

/** Starts a server that writes a text for each time that it receives something. */
async function serve(t: Test, ...texts: (string | ((socket: Socket) => void))[]): Promise<URL> {
  const server = createServer(socket => {
    const left = [...texts]
    socket.on('error', () => {})
    socket.on('data', () => {
      const next = left.shift()
      if (typeof next === 'function') next(socket)
      else socket.write(next ?? '')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`)
}

const get = (method = 'GET') => ({ method, path: '/', headers: [] as [string, string][] })
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

t.test('a response ends where its headers say, and the next one begins there', async t => {
  const chunked =
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\n{\r\n1\r\n}\r\n0\r\nTrailer: 1\r\n\r\n'
  const url = await serve(
    t,
    `HTTP/1.1 100 Continue\r\n\r\n${OK}${chunked}HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n`
  )
  const responses = await sendOnOneConnection(url, [get(), get(), get(), get('HEAD')], true, 60)
  t.match(responses, [
    { status: 200, body: {} },
    { status: 200, body: {} },
    { status: 204, text: '' },
    { status: 200, text: '' }
  ])
})

t.test('a response without a length ends with the connection', async t => {
  const url = await serve(t, socket => {
    socket.write('HTTP/1.0 200 OK\r\n\r\n')
    setImmediate(() => socket.end('{}'))
  })
  t.match(await sendOnOneConnection(url, [get(), get()], false, 60), [{ body: {} }])
})

t.test('the values of a repeated header are joined, and more than 1 MiB is too long', async t => {
  const url = await serve(t, 'HTTP/1.1 204 No Content\r\nA: 1\r\nA: 2\r\n\r\n')
  t.match(await sendOnOneConnection(url, [get()], false, 60), [{ headers: { a: '1, 2' } }])
  const long = await serve(
    t,
    `HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 20 + 1}\r\n\r\n${'x'.repeat(2 ** 20 + 1)}`
  )
  await t.rejects(sendOnOneConnection(long, [get()], false, 60), { message: /longer than 1 MiB/ } as never)
})

t.test('after Connection: close no further request is sent', async t => {
  const url = await serve(t, 'HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  t.match(await sendOnOneConnection(url, [get(), get()], false, 60), [{ status: 401 }])
})

t.test('a response that is cut off is none, and no fault of a shared connection', async t => {
  const cut = [
    '',
    'HTTP/1.1 200',
    'HTTP/1.1 200 OK\r\nContent-',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{'
  ]
  for (const text of cut) {
    const url = await serve(t, OK, socket => socket.end(text))
    t.match(await sendOnOneConnection(url, [get(), get()], false, 60), [{ status: 200 }], text)
  }
  const reset = await serve(t, OK, socket => socket.resetAndDestroy())
  t.match(await sendOnOneConnection(reset, [get(), get()], false, 60), [{ status: 200 }])
})

t.test('what is no HTTP, too long, too late or not there is a failure', async t => {
  const failures: [URL, number, Match][] = [
    [await serve(t, 'hello\r\n'), 60, { message: 'the response is no HTTP', reason: 'silent' }],
    [await serve(t, 'x'.repeat(2 ** 21 + 1)), 60, { message: /longer than 2 MiB/, reason: 'silent' }],
    [await serve(t, () => {}), 1, { message: 'no response within 1 s', reason: 'silent' }],
    [new URL('http://127.0.0.1:1'), 60, { reason: 'unreachable' }],
    [new URL('https://127.0.0.1:1'), 60, { reason: 'unreachable' }],
    [new URL('http://no-such-host.invalid'), 60, { reason: 'unreachable' }],
    [new URL('https://no-such-host.invalid'), 60, { reason: 'unreachable' }]
  ]
  for (const [url, timeout, error] of failures)
    await t.rejects(sendOnOneConnection(url, [get()], false, timeout), error as never)
})

t.test('a header that HTTP cannot carry is not sent, and a body may go in chunks', async t => {
  const url = await serve(t, OK)
  const headers: [string, string][] = [['Authorization', 'Bearer 漢']]
  await t.rejects(sendOnOneConnection(url, [{ ...get(), headers }], false, 60), {
    reason: 'unsendable'
  } as never)
  let received = ''
  const echo = await serve(t, socket => {
    socket.write(OK)
  })
  const server = createServer(socket => {
    socket.on('data', data => {
      received += data
      if (received.endsWith('0\r\n\r\n')) socket.end(OK)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  echo.port = String((server.address() as { port: number }).port)
  await sendOnOneConnection(echo, [{ ...get('POST'), body: 'abcd', chunked: true }], false, 60)
  t.match(received, /\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n$/)
})
