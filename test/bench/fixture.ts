import type { Report, Result, Row, Spread } from '../../bench/report/report.ts'

const machine = { node: '20.0.0', cpu: 'Fast <Processor> & Co', pinned: true, rounds: 3, seconds: 1 }

/** A report of three servers and their control in two scenarios; one server is in the first of them only. */
export const report: Report = {
  ...machine,
  date: '2000-01-01',
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

/** Sessions in Redis, measured on another day. */
export const redisResult: Result = {
  scenario: 'redis',
  title: 'GET /menu/main with a JWT, and with sessions in Redis',
  unit: 'µs per request',
  rows: [
    {
      ...row('redis', 'sessions in Redis', ['fastify-screen-auth', 'fastify'], 1.3),
      target: 1.2,
      redis: {
        short: spread(1.4),
        firstUse: { roundTrips: 1, commands: 2 },
        known: { roundTrips: 0, commands: 0 },
        rejected: { roundTrips: 3, commands: 28 },
        login: { roundTrips: 5, commands: 21 },
        commands: 0.002,
        latency: { p50: spread(0.3), p99: spread(0.754) }
      }
    },
    {
      ...row('screen-auth', 'fastify-screen-auth, JWT', ['fastify-screen-auth', 'fastify'], 1.125),
      redis: {
        short: spread(1.25),
        firstUse: { roundTrips: 0, commands: 0 },
        known: { roundTrips: 0, commands: 0 },
        rejected: { roundTrips: 0, commands: 0 },
        login: { roundTrips: 0, commands: 0 },
        commands: 0,
        latency: { p50: spread(0.15), p99: spread(0.4) }
      }
    }
  ],
  remarks: ['CPU time: of the server'],
  run: { ...machine, date: '2000-02-02', versions: { fastify: '5.0.0', 'redis-server': '7.0.0' } }
}

function row(name: string, label: string, packages: string[], ratio: number): Row {
  return { name, label, packages, cost: spread(ratio * 20), ratio: spread(ratio) }
}

function spread(median: number): Spread {
  return { median, low: median, high: median }
}
