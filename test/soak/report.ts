import type { ClientResponse } from './client.ts'
import type { Sample } from './server.ts'

/** Counts the responses. */
export class Tally {
  /** How often each outcome came, for each kind of traffic. */
  readonly outcomes: Record<string, Record<string, number>> = {}
  requests = 0
  unexpected = 0
  /** The first three unexpected responses of each kind. */
  readonly shown: Record<string, string[]> = {}
  /** Clients that did not start or finish in time. */
  late = 0

  see(kind: string, response: ClientResponse, expected: string, isRight = true): void {
    this.#count(kind, response.outcome)
    if (response.outcome === expected && isRight) return
    this.#complain(kind, `expected ${expected}, got ${JSON.stringify(response)}`)
  }

  fail(kind: string, error: unknown): void {
    this.#count(kind, 'no response')
    this.#complain(kind, String(error))
  }

  /** How many requests of a kind were made. */
  requestsOf(kind: string): number {
    return sum(Object.values(this.outcomes[kind] ?? {}))
  }

  #count(kind: string, outcome: string): void {
    this.requests++
    this.outcomes[kind] ??= {}
    const outcomes = this.outcomes[kind]
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }

  #complain(kind: string, what: string): void {
    this.unexpected++
    this.shown[kind] ??= []
    if (this.shown[kind].length < 3) this.shown[kind].push(what.slice(0, 500))
  }
}

/** The server at one moment of the test. */
export interface Moment extends Sample {
  at: string
  /** Seconds since the start, and requests of the run until now. */
  seconds: number
  requests: number
}

/** What the test found. */
export interface Findings {
  tallies: { 'warm-up': Tally; run: Tally }
  /** Before the first request, with full counters, idle after the warm-up, at 5 %, 10 %, … and idle at the end. */
  moments: { idle: Moment; full: Moment; warm: Moment; steps: Moment[]; cool: Moment }
  /** Distinct tokens that the run has sent. */
  tokens: number
  /** Exit code of the server when it was told to close; null when it had to be killed. */
  exitCode: number | null
}

/**
 * Bytes by which the heap may grow between the two idle moments. Counters and tokens cannot make it grow: their tables
 * are full before the first. But replaced counters let it vary by 0.4 MB for each of the three kinds, and V8 compiles
 * and discards code.
 */
const MARGIN = 3e6

/** Returns why the test failed; empty when it passed. */
export function judge({ tallies, moments, exitCode }: Findings): string[] {
  const { idle, warm, cool } = moments
  const reasons: string[] = []
  for (const [when, { unexpected, late }] of Object.entries(tallies)) {
    if (unexpected > 0) reasons.push(`${unexpected} unexpected responses in the ${when}`)
    if (late > 0) reasons.push(`${late} clients of the ${when} not served in more than twice its time`)
  }
  if (cool.faults.count > 0) reasons.push(`${cool.faults.count} errors or warnings in the server`)
  for (const { at, handles } of [warm, cool]) {
    const [now, before] = [inWords(handles), inWords(idle.handles)]
    if (now !== before) reasons.push(`${at} the handles are ${now}; at the start they were ${before}`)
  }
  const growth = held(cool) - held(warm)
  if (growth > MARGIN)
    reasons.push(`the heap grew by ${inMB(growth)} MB; at most ${inMB(MARGIN)} are explained`)
  for (const event of ['login accepted', 'login rejected', 'login blocked', 'login abandoned']) {
    if (cool.log[`screen-auth: ${event}`] === undefined)
      reasons.push(`no '${event}' in the log of the server`)
  }
  if (exitCode !== 0) reasons.push(`closed, the server did not end by itself (exit code ${exitCode})`)
  return reasons
}

/** Prints the figures. */
export function report({ tallies, moments, tokens }: Findings): void {
  const { idle, full, warm, steps, cool } = moments
  for (const [when, { shown }] of Object.entries(tallies)) {
    for (const [kind, responses] of Object.entries(shown))
      console.log(`Unexpected in the ${when}, ${kind}:`, responses)
  }
  if (cool.faults.count > 0) console.log('Errors and warnings in the server:', cool.faults.first)

  const outcomes = Object.entries(tallies.run.outcomes)
  console.table(Object.fromEntries(outcomes.map(([kind, counts]) => [kind, { outcomes: inWords(counts) }])))
  const seconds = (steps.at(-1) ?? cool).seconds - warm.seconds
  console.log(`${tallies.run.requests} requests with ${tokens} distinct tokens in ${seconds} seconds`)
  console.log('Log of the server, warm-up included:', cool.log)

  const few = steps.filter((_, i) => [1, 9, 19].includes(i))
  console.table(
    [idle, full, warm, ...few, cool].map(({ at, requests, heapUsed, external, rss, handles, delay }) => ({
      at,
      requests,
      'heap MB': inMB(heapUsed),
      'external MB': inMB(external),
      'rss MB': inMB(rss),
      'loop delay p99 ms': delay.p99,
      'max ms': delay.max,
      handles: inWords(handles)
    }))
  )
  console.log(
    `Full counters of the throttle, and the cached tokens: at most ${inMB(held(full) - held(idle))} MB`
  )
  console.log(`Slope from 10 % to 100 %: ${slope(steps.slice(1)).toFixed(2)} bytes per request`)
  console.log(`Between the idle moments: ${inMB(held(cool) - held(warm))} MB (limit ${inMB(MARGIN)})`)
}

const held = ({ heapUsed, external }: Moment) => heapUsed + external

/** The growth in bytes per request, by linear regression. */
function slope(moments: Moment[]): number {
  const [x, y] = [mean(moments.map(({ requests }) => requests)), mean(moments.map(held))]
  const covariance = mean(moments.map(moment => (moment.requests - x) * (held(moment) - y)))
  return covariance / mean(moments.map(({ requests }) => (requests - x) ** 2))
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

const mean = (numbers: number[]) => sum(numbers) / numbers.length

const inMB = (bytes: number) => Number((bytes / 1e6).toFixed(2))

const inWords = (counts: Record<string, number>) =>
  Object.entries(counts)
    .sort()
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
