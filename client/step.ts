// What happens after each event: a pure function from the model and the event to the next model and the effects.
import { changedFields, draftOf, exampleOf, fieldsToSave, typedUser, unresolved, wireTexts } from './form.ts'
import { isNumber } from './locale.ts'
import type { Command, Effect, Event, Model, Next } from './model.ts'
import { change, changesIn, showMessage, stateOf, textOf } from './model.ts'
import { isConfirmed, isUnchanged, load, loadFirst, send } from './requests.ts'
import { receiveResponse, showFailure } from './responses.ts'
import { type Field, fieldsOf } from './screen.ts'
import { readLogin } from './service.ts'
import type { Login, Question } from './state.ts'
import { endSession, keepDraft, loseChanges, messageOfLost, readStores, setToken } from './user.ts'

/** Returns the model after an event, and what the session then does. Changes nothing itself. */
export function step(model: Model, event: Event, now = Date.now(), random = Math.random()): [Model, Effect[]] {
  const next: Next = { ...model, effects: [], now, random }
  handle(next, event)
  return [next, next.effects]
}

type EventOf<Type> = Extract<Event, { type: Type }>

const HANDLERS: { [Type in Event['type']]: (next: Next, event: EventOf<Type>) => void } = {
  start,
  read,
  enter,
  submit,
  open,
  save,
  act,
  logOut,
  tell,
  retry: next => retry(next, next.shown.message?.help === 'retry'),
  online,
  due,
  cancel,
  answer,
  response: receiveResponse,
  token: takeToken
}

function handle(next: Next, event: Event): void {
  HANDLERS[event.type](next, event as never)
}

function start(next: Next, { url }: EventOf<'start'>): void {
  next.requests += 1
  next.goal = url && url !== next.site.menuPath ? url : null
  next.goalUser = null
  next.effects.push({ type: 'read', request: next.requests })
}

function read(next: Next, event: EventOf<'read'>): void {
  if (event.request !== next.requests) return
  readStores(next, event)
  next.effects.push({ type: 'watch' })
  loadFirst(next)
}

function enter(next: Next, { values }: EventOf<'enter'>): void {
  const { shown, site } = next
  const entries = Object.entries(values)
  if (!('screen' in shown) || shown.busy || entries.length === 0) return
  const { screen, message } = shown
  const entered = new Map([...shown.values, ...entries])
  const isLocked = shown.name === 'login' && shown.retryAt !== null
  // A lockout applies to one user only.
  const isOther = isLocked && typedUser(screen, shown.values) !== typedUser(screen, entered)
  const theirs = shown.name === 'screen' && unresolved(shown.theirs, screen, entered, site.locale)
  const isResolved = theirs && shown.theirs.size > 0 && theirs.size === 0
  const isAbout = !isLocked && Object.hasOwn(values, message?.field ?? '')
  const isOfSaved = message?.kind === 'success' || message?.text === textOf(next, 'no_changes')
  const isStale = isOfSaved && changedFields(screen, entered, site.locale).length > 0
  // Without a further question, a repetition would send other values than before, or drop them.
  const isOutdated = next.again !== null && !(next.again.type === 'open' && next.again.wanted.keeps)
  if (isOutdated) next.again = null
  change(next, {
    values: entered,
    ...(theirs && { theirs }),
    ...(isOther && { retryAt: null }),
    ...((isOther || isResolved || isAbout || isStale || isOutdated) && { message: null })
  })
  if (shown.name !== 'screen') return
  // The changes of a screen that was never shown again.
  if (next.draft && next.draft.path !== shown.path && changesIn({ ...next, shown }).length === 0) {
    loseChanges(next, [])
    change(next, { message: messageOfLost(next) })
    next.lost = null
  }
  keepDraft(next, draftOf(shown.path, screen, entered, site.locale))
}

function submit(next: Next, command: EventOf<'submit'>): void {
  const { shown } = next
  if (shown.name !== 'login' || shown.busy) return
  const fields = loginFields(next, shown)
  if (fields) send(next, command, shown.screen.authAction, { fields })
}

/** What the client sends of a login form: texts as they were entered, and numbers as data. Null after a refusal. */
function loginFields(next: Next, { screen, values }: Pick<Login, 'screen' | 'values'>) {
  const numbers = fieldsOf(screen).filter(({ type }) => isNumber(type))
  const sent = wireTexts(numbers, values, screen.locale, next.site.locale)
  return refuse(next, numbers, sent) ? null : { ...Object.fromEntries(values), ...sent }
}

/** Opens a screen for the person. Asks first if unsaved changes would be lost. */
function open(next: Next, command: EventOf<'open'>): void {
  const { wanted } = command
  const { draft, site } = next
  const { name, canOpen, hasChanges, busy } = stateOf(next)
  // The changes of a screen that could not be loaded are not shown.
  const hides = name === 'failed' && draft !== null && !wanted.isFirst && site.pathOf(wanted.url) !== draft.path
  // The person must see the result of a running save.
  if (!canOpen || (name === 'screen' && busy === 'saving')) return
  if (!isConfirmed(next, command, (hasChanges && !wanted.keeps) || hides)) return
  if (hides) keepDraft(next, null)
  if (!wanted.isFirst) next.goal = null
  load(next, wanted)
}

function save(next: Next, command: EventOf<'save'>): void {
  const { shown, site } = next
  if (shown.name !== 'screen' || shown.busy) return
  const { screen, values } = shown
  const kind = command.action ?? (screen.actions.save ? 'save' : 'create')
  const url = screen.actions[kind]
  if (url === '') return
  if (kind === 'delete') {
    const text = textOf(next, 'ask_delete').replace('{0}', () => screen.title)
    const question = { about: kind, text, details: textOf(next, 'cannot_be_undone'), label: textOf(next, 'delete') }
    if (!isConfirmed(next, command, false, [question])) return
  }
  const fields = kind === 'delete' ? [] : fieldsToSave(screen, values, site.locale, kind === 'create')
  if (kind === 'save' && fields.length === 0) {
    showMessage(next, { kind: 'info', text: textOf(next, 'no_changes') })
    return
  }
  const changes = wireTexts(fields, values, screen.locale, site.locale)
  if (refuse(next, fields, changes)) return
  const body = { screen_id: screen.screenId, record_id: screen.recordId, changes, action: kind }
  send(next, { ...command, action: kind }, url, body)
}

/** Refuses a number that has no reading, or two, in the format of the person. Returns whether there is one. */
function refuse(next: Next, fields: Field[], sent: Record<string, string | null>): boolean {
  const field = fields.find(({ id }) => sent[id] === null)
  if (field === undefined) return false
  const example = exampleOf(next.site.locale, field.type === 'Integer' ? '1234' : '1234.5')
  const text = `${field.label}: ${textOf(next, 'not_a_number').replace('{0}', () => example)}`
  showMessage(next, { kind: 'error', text, field: field.id })
  return true
}

function act(next: Next, command: EventOf<'act'>): void {
  const { shown } = next
  if (!('screen' in shown) || shown.busy) return
  const { id, kind, label, confirmMessage, endpoint } = command.action
  const question: Question = { about: 'action', text: confirmMessage || label, details: '', label }
  const questions = kind === 'confirm' ? [question] : []
  const entered = new Map(Object.entries(command.fields))
  const fields = {
    ...command.fields,
    ...wireTexts(command.action.fields, entered, shown.screen.locale, next.site.locale)
  }
  if (refuse(next, command.action.fields, fields) || !isConfirmed(next, command, changesIn(next).length > 0, questions))
    return
  const before = shown.name === 'login' ? loginFields(next, shown) : {}
  if (before === null) return
  send(next, command, endpoint, {
    action_id: id,
    record_id: shown.screen.recordId,
    screen_title: shown.screen.title,
    fields: { ...before, ...fields }
  })
}

function logOut(next: Next, command: Command): void {
  const { canOpen, hasChanges } = stateOf(next)
  // The changes of a screen that could not be loaded are not shown.
  if (!canOpen || !isConfirmed(next, command, hasChanges || next.draft !== null)) return
  if (next.token !== null) next.effects.push({ type: 'logOut', token: next.token })
  endSession(next, undefined, { kind: 'success', text: textOf(next, 'logged_out') })
  // The person was asked.
  next.lost = null
  next.goal = null
  loadFirst(next)
}

function tell(next: Next, { message }: Pick<EventOf<'tell'>, 'message'>): void {
  if (!('screen' in next.shown) || next.shown.message === message) return
  next.again = null
  change(next, { message })
}

function retry(next: Next, isOffered: boolean): void {
  const { again, shown } = next
  if (again && !shown.busy && (shown.name === 'failed' || isOffered)) handle(next, again)
}

/** The network is back. A button is not pressed again by itself, because each press may count. */
function online(next: Next): void {
  if (next.again?.type === 'act') tell(next, { message: null })
  else retry(next, next.shown.message !== null)
}

/** The end of a lockout, or the time for a retry. */
function due(next: Next): void {
  if (next.shown.name === 'login') change(next, { retryAt: null, message: null })
  else retry(next, false)
}

/** Stops waiting for a screen or for the response to a login request. Does not cancel a save. */
function cancel(next: Next): void {
  const { shown, wanted } = next
  if (!(shown.busy === 'loading' ? wanted : shown.busy && shown.name === 'login')) return
  next.requests += 1
  if ('screen' in shown && !wanted?.isFirst) {
    next.wanted = null
    showMessage(next, null)
  } else showFailure(next, { kind: 'info', text: textOf(next, 'cancelled') })
}

function answer(next: Next, { command, isYes, before }: EventOf<'answer'>): void {
  if (isYes && isUnchanged(before, next.shown)) handle(next, { ...command, answered: (command.answered ?? 0) + 1 })
}

/** Handles a token that another client has written or cleared. */
function takeToken(next: Next, { text }: EventOf<'token'>): void {
  const [token, user] = readLogin(text)
  // In the no-auth mode, a screen is shown without a token.
  const isOpen = next.token === null && next.shown.name === 'screen' && next.ended === null
  if (token === next.token || isOpen) return
  if (token === null) endSession(next)
  else setToken(next, token, user)
  loadFirst(next)
}
