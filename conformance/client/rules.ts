import {
  bearer,
  fieldsOf,
  hasOutside,
  hasSecret,
  isMadeUp,
  isMenu,
  isRefused,
  isString,
  lostTokens,
  type Seen,
  text,
  tokensUntil
} from './seen.ts'
import { AT_ONCE, type Stage } from './stage.ts'

/** What a client did wrong, and with which request; without one when something was never seen. */
export interface Offence {
  what: string
  seen?: Seen
  /** What should have been, where the title of the case says it too generally. */
  expected?: string
}

/** What the person enters, where the kit was told. */
export interface Entered {
  username?: string | undefined
  password?: string | undefined
}

/** A client that was watched: its requests in order, without those that are not judged. */
export interface Watched {
  stage: Stage
  seen: Seen[]
  entered: Entered
}

/** Undefined when the client did not come so far that it could be judged. */
type Rule = (watched: Watched) => Offence[] | undefined

const LOGIN_EVENTS = ['form', 'misplaced', 'rejected', 'accepted']

/** The rule of each case in `client-cases.json`, by its id: what a client did against it, nothing when it kept it. */
export const rules: Record<string, Rule> = {
  'asks-for-menu-first': ({ seen: [first] }) =>
    first && isMenu(first)
      ? []
      : [notSeen(first, first ? 'asked for something else first' : 'sent no request')],

  'fetches-form-on-401': ({ seen }) => {
    const next = seen.slice(seen.findIndex(isRefused) + 1).find(one => !isMenu(one))
    return next?.event === 'form' ? [] : [notSeen(next, 'did not fetch the form')]
  },

  'fetches-form-at-once': ({ seen }) => {
    const next = seen[seen.findIndex(isRefused) + 1]
    return next === undefined || !isMenu(next) ? [] : [{ what: 'asked for the menu again', seen: next }]
  },

  'submits-to-auth-action': ({ stage, seen }) => {
    const others = seen.filter(
      one => one.token === undefined && !isSubmission(one, stage) && !['GET', 'HEAD'].includes(one.method)
    )
    const expected = `POST ${stage.action}, the auth_action of the form that was served`
    if (submissionsOf({ stage, seen }).length === 0 && others.length === 0)
      return [{ what: 'did not submit the form', expected }]
    return others.map(one => ({ what: 'submitted something else', seen: one, expected }))
  },

  'sends-auth-request': watched =>
    judged(
      submissionsOf(watched),
      one => !Object.values(fieldsOf(one.body) ?? { none: null }).every(isString),
      'the body is no AuthRequest'
    ),

  'sends-all-fields': watched =>
    judged(
      submissionsOf(watched),
      one => ['username', 'password'].some(id => !(id in (fieldsOf(one.body) ?? {}))),
      'a field is missing'
    ),

  'sends-what-was-entered': watched =>
    judged(
      submissionsOf(watched),
      one => {
        const fields = fieldsOf(one.body) ?? {}
        return Object.entries(watched.entered).some(
          ([id, value]) => value !== undefined && fields[id] !== value
        )
      },
      'a value is not what was entered'
    ),

  'sends-no-other-fields': watched =>
    judged(
      submissionsOf(watched),
      one => Object.keys(fieldsOf(one.body) ?? {}).some(id => !['username', 'password'].includes(id)),
      'a key is no id of a field'
    ),

  'sends-json-type': watched =>
    judged(
      submissionsOf(watched),
      one => !/^application\/json\b/i.test(String(one.headers['content-type'])),
      'the Content-Type is another'
    ),

  'shows-menu-from-answer': ({ seen }) => {
    if (!seen.some(({ event }) => event === 'accepted')) return undefined
    return offences(
      seen,
      (one, index) => {
        const before = seen[index - 1]
        if (before === undefined || one.token === undefined) return false
        const isSecondRequest = before.event === 'accepted' && isMenu(one) && one.at - before.at < AT_ONCE
        return isSecondRequest || LOGIN_EVENTS.includes(one.event)
      },
      'asked again although it was logged in'
    )
  },

  'keeps-form-on-rejection': ({ stage, seen }) => {
    const next = seen.find((_, index) => seen[index - 1]?.event === 'rejected')
    return next !== undefined && isSubmission(next, stage)
      ? []
      : [notSeen(next, 'did not submit the form again')]
  },

  'sends-token-in-header': watched =>
    afterLogin(
      watched,
      ({ headers }) => headers.authorization !== undefined && bearer(headers) === undefined,
      'the Authorization header has another form'
    ),

  'sends-token-unchanged': watched =>
    afterLogin(watched, ({ headers, token }) => bearer(headers) !== token, 'the token is missing or another'),

  'sends-token-nowhere-else': ({ seen }) =>
    offences(
      seen,
      (one, index) => tokensUntil(seen, index).some(token => hasOutside(one, token)),
      'the token is elsewhere too'
    ),

  'sends-no-made-up-token': ({ seen }) =>
    offences(seen, one => one.token === undefined && isMadeUp(one), 'sent a header without a token'),

  'returns-to-login-on-401': ({ seen }) => {
    const next = seen.find(
      one => lostTokens(seen, one).length > 0 && !(isMenu(one) && one.headers.authorization === undefined)
    )
    return next?.event === 'form' ? [] : [notSeen(next, 'did not go back to the login form')]
  },

  'drops-token-on-401': ({ seen }) =>
    judged(
      seen.slice(seen.findIndex(isRefused) + 1),
      one => {
        const index = seen.indexOf(one)
        const isLoggedOut = one.token === undefined && seen.slice(0, index).some(isRefused)
        const sends = isLoggedOut && /^bearer /i.test(one.headers.authorization ?? '') && !isMadeUp(one)
        return sends || lostTokens(seen, one).some(token => text(one).includes(token))
      },
      'a token was sent that should be dropped'
    ),

  'sends-credentials-nowhere-else': ({ stage, seen, entered }) => {
    const passwords = [entered.password, ...seen.map(({ body }) => fieldsOf(body)?.password)].filter(
      (value): value is string => isString(value) && value.length > 3
    )
    return offences(
      seen,
      one =>
        /^basic /i.test(one.headers.authorization ?? '') ||
        /[?&](password|passwd|pwd)=/i.test(one.path) ||
        passwords.some(password =>
          hasSecret(isSubmission(one, stage) ? { ...one, body: '' } : one, password)
        ),
      'the password is where it must not be'
    )
  },

  'never-asks-for-form': ({ seen }) =>
    offences(seen, ({ event }) => LOGIN_EVENTS.includes(event), 'went to the login'),

  'sends-no-token-without-login': ({ seen }) =>
    offences(seen, ({ headers }) => headers.authorization !== undefined, 'sent an Authorization header')
}

function offences(seen: Seen[], isOffence: (one: Seen, index: number) => boolean, what: string): Offence[] {
  return seen.filter(isOffence).map(one => ({ what, seen: one }))
}

function notSeen(instead: Seen | undefined, what: string): Offence {
  return { what, ...(instead && { seen: instead }) }
}

function isSubmission({ method, path }: Seen, { action }: Stage): boolean {
  return method === 'POST' && path === action
}

/** What was submitted to the auth_action of the form. */
function submissionsOf({ stage, seen }: Pick<Watched, 'stage' | 'seen'>): Seen[] {
  return seen.filter(one => isSubmission(one, stage))
}

/** The offences among the requests that must carry the token. There must be some where the session is to expire. */
function afterLogin(
  { stage, seen }: Watched,
  isOffence: (one: Seen) => boolean,
  what: string
): ReturnType<Rule> {
  const later = seen.filter(({ token, event }) => token !== undefined && !LOGIN_EVENTS.includes(event))
  const isMissing = later.length === 0 && stage.scenario === 'login-then-expire'
  return isMissing ? [{ what: 'sent no request after the login' }] : judged(later, isOffence, what)
}

/** The offences among requests of which there must be some. */
function judged(seen: Seen[], isOffence: (one: Seen) => boolean, what: string): ReturnType<Rule> {
  return seen.length === 0 ? undefined : offences(seen, isOffence, what)
}
