import type { Test } from 'tap'
import { type ServerCase, serverCases } from '../../cases.ts'
import { type CheckServerOptions, checkServer } from '../../index.ts'
import { checkServerOptions } from '../../server/options.ts'
import type { Answer, PreparedRequest } from '../../server/prepare-request.ts'
import { MissingValueError } from '../../server/prepare-request.ts'
import { exchangesOf, judge } from '../../server/run-case.ts'
import { type Exchange, Session } from '../../server/session.ts'
import { type Form, listen, type Parts } from '../server/minimal-server.ts'

/** A case with the answers to its requests, each as its place in `answers`; null where there was none. */
export interface RecordedCase {
  id: string
  path?: string
  answers: (number | null)[]
  status: string
  observed?: string
}

export interface RecordedRun {
  name: string
  /** The values of placeholders in expectations. */
  values: Record<string, string>
  answers: Answer[]
  exchanges: Record<string, number>
  cases: RecordedCase[]
}

/** What says nothing about the contract, and differs from run to run. */
const VARYING = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

/** Checks a server, and keeps what it has sent. */
export async function record(
  t: Pick<Test, 'teardown'>,
  name: string,
  form: Form,
  parts: () => Parts,
  options: CheckServerOptions
): Promise<RecordedRun> {
  const { results } = await checkServer(await listen(t, form, parts()), options)
  const settings = checkServerOptions(await listen(t, form, parts()), options)
  const session = new Session(settings.url, settings)
  const answers: string[] = []
  const place = (response: Answer | undefined): number | null => {
    if (response === undefined) return null
    const headers = Object.fromEntries(
      Object.entries(response.headers).filter(([header]) => !VARYING.includes(header))
    )
    const text = JSON.stringify({ ...response, headers })
    return answers.includes(text) ? answers.indexOf(text) : answers.push(text) - 1
  }

  const cases: RecordedCase[] = []
  for (const { id, status } of results) {
    const test = caseOf(id)
    const path = test.needs?.includes('protected')
      ? settings.protected[cases.filter(one => one.id === id).length]
      : undefined
    const made = session
      .prepareFor(test)
      .then(() => exchangesOf(test, session, path && session.values.base + path))
    const exchanges = await made.catch(withoutValue((): Exchange[] => []))
    const result = verdict(test, exchanges, session)
    if (result.status !== status) throw new Error(`${name}: ${id} was ${status} and now ${result.status}`)
    const isClosed = test.connection !== undefined && exchanges.length < test.requests.length
    cases.push({
      id,
      ...(path !== undefined && { path }),
      answers: isClosed ? [] : exchanges.map(({ response }) => place(response)),
      ...result
    })
  }

  const { origin, base, username, password, random } = session.values
  return {
    name,
    values: { origin, base, username, password, random, 'app name': settings.appName },
    exchanges: Object.fromEntries(
      Object.entries(session.values.answers).map(([exchange, answer]) => [exchange, place(answer) as number])
    ),
    cases,
    answers: answers.map(text => JSON.parse(text))
  }
}

/** A run without some cases, and without the answers that only these have. */
export function only(run: RecordedRun, test: (one: RecordedCase) => boolean): RecordedRun {
  const cases = run.cases.filter(test)
  const needed = JSON.stringify(cases.map(({ id }) => caseOf(id)))
  const exchanges = Object.entries(run.exchanges).filter(([name]) => needed.includes(`{{answers.${name}.`))
  const used = [
    ...new Set([...exchanges.map(([, index]) => index), ...cases.flatMap(({ answers }) => answers)])
  ]
  const places = used.filter(index => index !== null)
  const moved = (index: number | null) => (index === null ? null : places.indexOf(index))
  return {
    ...run,
    answers: places.map(index => run.answers[index] as Answer),
    exchanges: Object.fromEntries(exchanges.map(([name, index]) => [name, places.indexOf(index)])),
    cases: cases.map(one => ({ ...one, answers: one.answers.map(moved) }))
  }
}

/** Judges the answers of a recorded run anew. */
export function replay({ values, answers, exchanges, cases }: RecordedRun): RecordedCase[] {
  const settings = checkServerOptions(`${values.origin}${values.base}`, { noAuth: true })
  const session = new Session(settings.url, settings)
  Object.assign(session.values, values, {
    answers: Object.fromEntries(Object.entries(exchanges).map(([name, index]) => [name, answers[index]]))
  })
  return cases.map(recorded => {
    const test = caseOf(recorded.id)
    const made = recorded.answers.map(
      (index): Exchange =>
        index === null
          ? { request: NONE, error: 'none' }
          : { request: NONE, response: answers[index] as Answer }
    )
    const { id, path, answers: places } = recorded
    return {
      id,
      ...(path !== undefined && { path }),
      answers: places,
      ...verdict(test, made, session)
    }
  })
}

const NONE: PreparedRequest = {
  sent: { method: 'GET', path: '/', headers: [] },
  masked: { method: 'GET', path: '/', headers: [] },
  pause: 0
}

function caseOf(id: string): ServerCase {
  return serverCases.cases.find(test => test.id === id) as ServerCase
}

function verdict(
  test: ServerCase,
  exchanges: Exchange[],
  session: Session
): Pick<RecordedCase, 'status' | 'observed'> {
  try {
    const { status, note } = judge(test, exchanges, session)
    const isObserved = test.level === 'OBSERVED' && test.observe === undefined && status === 'ok'
    return { status, ...(isObserved && { observed: note as string }) }
  } catch (error) {
    return withoutValue(() => ({ status: 'skipped' }))(error)
  }
}

/** A case whose placeholder has no value is skipped. */
function withoutValue<T>(otherwise: () => T): (error: unknown) => T {
  return error => {
    if (error instanceof MissingValueError) return otherwise()
    throw error
  }
}
