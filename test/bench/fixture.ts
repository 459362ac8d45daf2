import type { Report, Row } from '../../bench/report/report.ts'

/** A report of three servers and their control in two scenarios; one server is in the first of them only. */
export const report: Report = {
  date: '2000-01-01',
  node: '20.0.0',
  cpu: 'Fast <Processor> & Co',
  pinned: true,
  rounds: 3,
  seconds: 1,
  versions: { fastify: '5.0.0', 'fastify-screen-auth': '1.0.0' },
  results: [
    {
      scenario: 'warm',
      title: 'GET /menu/main with one valid token',
      unit: 'µs per request',
      rows: [
        row('screen-auth', 'fastify-screen-auth', ['fastify-screen-auth', 'fastify'], 2),
        row('fastify', 'Fastify, no auth', ['fastify'], 1),
        row('fastify-again', 'Fastify, no auth, again', ['fastify'], 1.01),
        row('node-http', 'node:http, no auth', [], 0.75)
      ]
    },
    {
      scenario: 'cold',
      title: 'GET /menu/main with new tokens',
      unit: 'µs per request',
      rows: [
        row('fastify', 'Fastify, no auth', ['fastify'], 1),
        row('screen-auth', 'fastify-screen-auth', ['fastify-screen-auth', 'fastify'], 3)
      ]
    }
  ]
}

function row(name: string, label: string, packages: string[], ratio: number): Row {
  const spread = (median: number) => ({ median, low: median, high: median })
  return { name, label, packages, cost: spread(ratio * 20), ratio: spread(ratio) }
}
