import { type ServerCase, serverCases } from '../cases.ts'
import { selectJobs } from '../server/check-server.ts'
import { parseJwt } from '../server/jwt.ts'
import { checkServerOptions } from '../server/options.ts'
import { type Answer, type PreparedRequest, prepareRequest } from '../server/prepare-request.ts'
import { exchangesOf, judge } from '../server/run-case.ts'
import { type Exchange, Session } from '../server/session.ts'
import { type BrokenServer, partsOf } from '../test/server/broken-parts.ts'
import { conformingReference } from '../test/server/broken-tokens.ts'
import { brokenServers, everythingFor, optionsFor } from '../test/server/check.ts'
import { conforming, listen, type Parts } from '../test/server/minimal-server.ts'
import { base64url, signature } from './cryptography.ts'
import { testKey } from './keys.ts'
import { FROM } from './vector.ts'

/** A case with the answers to its requests, each as its place in `answers`. */
interface RecordedCase {
  id: string
  path?: string
  answers: number[]
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

type Server = Pick<BrokenServer, 'name' | 'form' | 'options'> & { parts: Parts }

const conformingServers: Server[] = [
  ...(['jwt', 'ES256', 'opaque', 'no-auth'] as const).map(form => ({
    name: `conforms: ${form}`,
    form,
    parts: conforming(form, '/deep/base'),
    options: everythingFor(form)
  })),
  {
    name: 'conforms: reference',
    form: 'jwt',
    parts: conformingReference,
    options: { ...optionsFor('jwt'), reference: true, appName: 'Willkommen' }
  }
]

/** Broken servers of every kind, by name. */
const RECORDED = [
  'the form: title null',
  'the form: one field only',
  'a success: no token',
  'a rejection: no token',
  'the credentials: a missing password',
  'the guard: 403 in place of 401',
  'the guard: unknown routes are 404 without a token',
  'the guard: who is logged in gets no form',
  'the token: any is valid',
  'the token: an empty signature is no wrong one',
  'without a login: the menu is no JSON',
  'a door: /docs is open',
  'a door: the header x-user-id',
  'a door: the given route takes any token',
  'a login: white space is not understood',
  'a login: auth_action is absolute',
  'a token: ES256, the signature is not checked',
  'a token: the name of the first login for everybody',
  'a token: the reference with another display_name than it shows',
  'a door: the menu is cached by its address',
  'the token: any of three parts is valid',
  'a login: a success is a redirect',
  'the token: in a body',
  'the login: fields beside one another, without the map',
  'a login: operators of a database for both',
  'the form: username called user',
  'a door: the menu without a token by a percent-encoded letter',
  'a door: OPTIONS of the login brings the menu',
  'a door: a preflight brings the menu',
  'a door: If-None-Match comes before the guard',
  'a door: POST needs a token only with a body',
  'the guard: what has /auth/login in its query is public'
]

/** Each with the cases of the clause that it breaks. */
const nonconformingServers: Server[] = brokenServers
  .filter(({ name }) => RECORDED.includes(name))
  .map(broken => {
    const { clause, name, form, options } = broken
    const only = serverCases.cases
      .filter(test => test.clause === clause || test.also?.includes(clause))
      .map(({ id }) => id)
    return {
      name: `${clause}: ${name}`,
      form,
      parts: partsOf(broken),
      options: { ...optionsFor(form), ...options, only }
    }
  })

/** Makes the content of recorded-answers.json. */
export async function recordedAnswers() {
  const { now } = Date
  Date.now = () => FROM * 1000
  try {
    const servers = [...conformingServers, ...nonconformingServers]
    return {
      $schema: './recorded-answers.schema.json',
      contractVersion: serverCases.contractVersion,
      dataVersion: serverCases.dataVersion,
      runs: (await Promise.all(servers.map(record))).map(withFixedValues)
    }
  } finally {
    Date.now = now
  }
}

/** What says nothing about the contract, and differs from run to run. */
const VARYING = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

/** Checks a server, and keeps what it has sent: to all cases, or of chosen ones to those that are not ok. */
async function record({ name, form, parts, options }: Server): Promise<RecordedRun> {
  const stops: (() => unknown)[] = []
  const url = await listen({ teardown: stop => stops.push(stop as () => unknown) }, form, parts)
  // Long, so that a busy machine makes the same bytes.
  const settings = checkServerOptions(url, { ...options, timeout: 600 })
  const session = new Session(settings)
  const answers: string[] = []
  const place = ({ response }: Pick<Exchange, 'response'>): number => {
    const answer = response as Answer
    const headers = Object.entries(answer.headers).filter(([header]) => !VARYING.includes(header))
    const text = JSON.stringify({ ...answer, headers: Object.fromEntries(headers) })
    return answers.includes(text) ? answers.indexOf(text) : answers.push(text) - 1
  }

  const { base, origin, username, password, random } = session.values
  const cases: RecordedCase[] = []
  const jobs = await selectJobs(settings, session)
  for (const { test, path } of jobs.filter(({ missing }) => missing === undefined)) {
    await session.prepareFor(test)
    const exchanges = await exchangesOf(test, session, path)
    const result = verdict(test, exchanges, session)
    if (options.only && result.status === 'ok') continue
    cases.push({
      id: test.id,
      ...(path !== undefined && { path: path.slice(base.length) }),
      answers: exchanges.map(place),
      ...result
    })
  }
  for (const stop of stops) stop()

  const needed = JSON.stringify(cases.map(({ id }) => caseOf(id)))
  const exchanges = Object.entries(session.values.answers)
    .filter(([exchange]) => needed.includes(`{{answers.${exchange}.`))
    .map(([exchange, response]) => [exchange, place({ response })])
  return {
    name,
    values: { origin, base, username, password, random, 'app name': settings.appName },
    exchanges: Object.fromEntries(exchanges),
    cases,
    answers: answers.map(text => JSON.parse(text))
  }
}

/** Puts fixed values into the place of those that are random. */
function withFixedValues(run: RecordedRun): RecordedRun {
  const { origin = '', random = '' } = run.values
  const tokens = run.answers.map(({ body }) => String((Object(body) as { token?: unknown }).token))
  const replacements = [
    [origin, 'http://127.0.0.1:8080'],
    [random, 'x0f1e2d3c4b5a69788'],
    ...tokens.map((token, index) => [token, fixedToken(token, index)])
  ] as [string, string][]
  const text = replacements.reduce((text, [one, other]) => text.replaceAll(one, other), JSON.stringify(run))
  return JSON.parse(text)
}

function fixedToken(token: string, index: number): string {
  if (token.startsWith('~')) return `~${base64url(`opaque token ${index}`)}`
  if (parseJwt(token)?.header.alg !== 'ES256') return token
  const content = token.slice(0, token.lastIndexOf('.'))
  return `${content}.${base64url(signature(content, testKey('own', 'ES256'), 'ES256'))}`
}

/** Judges the answers of a recorded run anew. */
export function replay({ values, answers, exchanges, cases }: RecordedRun): RecordedCase[] {
  const settings = checkServerOptions(`${values.origin}${values.base}`, { noAuth: true })
  const session = new Session(settings)
  Object.assign(session.values, values, {
    answers: Object.fromEntries(Object.entries(exchanges).map(([name, index]) => [name, answers[index]]))
  })
  const request = prepareRequest({ method: 'GET', path: '/' }, session.values) as PreparedRequest
  return cases.map(({ id, path, answers: places }) => {
    const made = places.map(index => ({ request, response: answers[index] as Answer }))
    return {
      id,
      ...(path !== undefined && { path }),
      answers: places,
      ...verdict(caseOf(id), made, session)
    }
  })
}

function caseOf(id: string): ServerCase {
  return serverCases.cases.find(test => test.id === id) as ServerCase
}

function verdict(test: ServerCase, exchanges: Exchange[], session: Session): Pick<RecordedCase, 'status' | 'observed'> {
  const { status, note } = judge(test, exchanges, session)
  const isObserved = test.level === 'OBSERVED' && test.observe === undefined && status === 'ok'
  return { status, ...(isObserved && { observed: note as string }) }
}
