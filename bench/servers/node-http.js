/** Bare node:http without a router: the minimum cost of a response. */
import { createServer } from 'node:http'
import { DISPLAY_NAME, menuOf } from './data.js'

export async function start() {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/menu/main') return response.writeHead(404).end()
    const body = JSON.stringify(menuOf(DISPLAY_NAME))
    response
      .writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body)
      })
      .end(body)
  })
  server.listen(0, '127.0.0.1')
  return { server }
}
