import { quantile } from 'simple-statistics'
import type { LoadCount } from './load.ts'

/** What is counted in one scenario. */
export interface Figures {
  title: string
  /** Requests with a response. */
  requests: number
  /** Responses that ask the client to try again later, where that is right. */
  postponed: number
  /** Requests that were refused and should have passed. */
  refused: number
  /** Any other response that is not the right one. */
  wrong: number
  /** Requests that were let in although their session had ended, beyond what is promised. */
  letIn: number
  /** The first responses that were refused, let in or wrong. */
  faults: string[]
  /** Milliseconds of the slowest request. */
  slowest: number
  /** Milliseconds from the end of each session until the last process refused it. */
  delays: number[]
}

export function noFigures(title: string): Figures {
  return {
    title,
    requests: 0,
    postponed: 0,
    refused: 0,
    letIn: 0,
    wrong: 0,
    faults: [],
    slowest: 0,
    delays: []
  }
}

/** Counts something that is wrong, and keeps the first few for people. */
export function blame(figures: Figures, fault: string, kind: 'refused' | 'letIn' | 'wrong' = 'wrong'): void {
  figures[kind]++
  if (figures.faults.length < 5) figures.faults.push(`${figures.title}: ${fault}`)
}

/** Counts the guarded requests that another process has sent. */
export function addLoad(figures: Figures, { requests, statuses, slowest }: LoadCount): Figures {
  const { 200: right = 0, 401: refused = 0 } = statuses
  figures.requests += requests
  figures.refused += refused
  figures.wrong += requests - right - refused
  figures.slowest = Math.max(figures.slowest, slowest)
  return figures
}

export function isClean({ requests, refused, letIn, wrong }: Figures): boolean {
  return requests > 0 && refused === 0 && letIn === 0 && wrong === 0
}

/** The figures as a table, with the faults below it. */
export function inWords(all: Figures[]): string {
  const width = Math.max(...all.map(({ title }) => title.length))
  const line = (title: string, ...cells: (string | number)[]) =>
    title.padEnd(width) + cells.map(cell => String(cell).padStart(12)).join('')
  return [
    line('', 'requests', 'later (503)', 'refused', 'let in', 'wrong', 'slowest', 'delay p50', 'p99', 'max'),
    ...all.map(({ title, requests, postponed, refused, letIn, wrong, slowest, delays }) =>
      line(
        title,
        requests,
        postponed,
        refused,
        letIn,
        wrong,
        inMs(slowest),
        ...[0.5, 0.99, 1].map(delayOf(delays))
      )
    ),
    ...all.flatMap(({ faults }) => faults)
  ].join('\n')
}

const delayOf = (delays: number[]) => (part: number) =>
  delays.length === 0 ? '' : inMs(quantile(delays, part))

const inMs = (ms: number) =>
  !Number.isFinite(ms) ? 'never' : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
