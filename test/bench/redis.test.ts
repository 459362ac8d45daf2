// What is told about sessions in Redis, and how it gets into the results of another run. No Redis is needed here.
import t from 'tap'
import { withResults } from '../../bench/report/merge.ts'
import { tablesOf } from '../../bench/report/pages.ts'
import { inWords } from '../../bench/report/redis.ts'
import type { RedisCost, Result, Row } from '../../bench/report/report.ts'
import { regressions } from '../../bench/report/verdict.ts'
import { redisResult, report } from './fixture.ts'

t.test('a table of its own has the round trips and the latency', async t => {
  const tables = tablesOf({ ...report, results: [...report.results, redisResult] })
  t.equal(tables.get('bench'), tablesOf(report).get('bench'))
  t.equal(
    tables.get('bench redis'),
    [
      '|  | CPU time, menu | short route | round trips (commands), first use | then | login rejected | accepted | commands | p50 | p99 |',
      '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |',
      '| **fastify-screen-auth, JWT** | **1.13** | **1.25** | **0 (0)** | **0 (0)** | **0 (0)** | **0 (0)** | **0.00** | **0.15 ms** | **0.40 ms** |',
      '| sessions in Redis | 1.30 | 1.40 | 1 (2) | 0 (0) | 3 (28) | 5 (21) | 0.00 | 0.30 ms | 0.75 ms |',
      '',
      '- CPU time: of the server',
      '',
      'Medians of 3 rounds of 1 s, 2000-02-02, Node 20.0.0, Fast <Processor> & Co: fastify 5.0.0, redis-server 7.0.0.'
    ].join('\n')
  )
})

t.test('there is none when that was not measured', async t => {
  t.notOk(tablesOf(report).has('bench redis'))
})

t.test('the terminal tells it in words', async t => {
  t.strictSame(
    redisResult.rows.map(({ redis }) => inWords(redis as RedisCost)),
    [
      'short route 1.40; p50 0.30 ms; p99 0.75 ms; round trips (commands) 1 (2), then 0 (0), login rejected 3 (28), accepted 5 (21); commands 0.00',
      'short route 1.25; p50 0.15 ms; p99 0.40 ms; round trips (commands) 0 (0), then 0 (0), login rejected 0 (0), accepted 0 (0); commands 0.00'
    ]
  )
})

t.test('one round trip more than there should be fails the check, however fast it was', async t => {
  const [sessions] = redisResult.rows as [Row & { redis: RedisCost }]
  const { redis } = sessions
  t.strictSame(regressions([redisResult]), [])
  for (const use of ['firstUse', 'known', 'rejected', 'login'] as const) {
    const { roundTrips, commands } = redis[use]
    const more = { ...redis, [use]: { roundTrips: roundTrips + 1, commands } }
    t.strictSame(regressions([{ ...redisResult, rows: [{ ...sessions, redis: more }] }]), [
      `redis: sessions in Redis has ${roundTrips + 1} round trips instead of ${roundTrips} (${use})`
    ])
  }
})

t.test('a ratio that is far above its target fails the check', async t => {
  const [warm] = report.results as [Result]
  const [ours] = warm.rows as [Row]
  const slower = { ...warm, rows: [{ ...ours, target: 0.9 }] }
  t.strictSame(regressions([slower]), [
    'warm: fastify-screen-auth has the ratio 2, more than 2 times its target 0.9'
  ])
})

t.test('results go into those of an earlier run, in place of the same scenario', async t => {
  const [warm, cold] = report.results
  const merged = withResults(report, { ...report, date: '2000-02-02', results: [redisResult] })
  t.strictSame(merged, { ...report, results: [warm, cold, redisResult] })

  const newer = { scenario: 'warm', title: 'newer', unit: 'µs per request', rows: [] }
  const { results, ...run } = { ...report, date: '2000-03-03' }
  t.strictSame(withResults(merged, { ...run, results: [newer] }), {
    ...report,
    results: [{ ...newer, run }, cold, redisResult]
  })
})
