// What the response to a request changes.
import {
  canSave,
  changedFields,
  fieldNamedBy,
  initialValues,
  isOtherVersion,
  passwordsOf,
  restore,
  typedUser
} from './form.ts'
import type { Command, Event, Next, Purpose, ScreenRequest } from './model.ts'
import { change, changesIn, showMessage, stateOf, textOf } from './model.ts'
import { readReply, readScreen } from './reader.ts'
import { load, loadFirst, sameScreen, send } from './requests.ts'
import { fieldsOf, type Screen } from './screen.ts'
import { isSendable, isTemporary, type Result } from './service.ts'
import type { Login, Message, Shown } from './state.ts'
import { endSession, keepDraft, loseChanges, messageOfLost, setToken } from './user.ts'

/** The longest wait before a retry, in seconds, without `Retry-After` and without the random part. */
const LONGEST_WAIT = 60

/** The longest time to wait because of `Retry-After`, in seconds. */
const MAX_RETRY_AFTER = 300

/** The longest lockout that a state shows, in seconds. */
const LONGEST_LOCK = 86_400

/** The prefix of a `status` that reports an error, for example that the Card was not saved. */
const ERROR_PREFIX = /^Error:\s*/

type PurposeOf<Type> = Extract<Purpose, { type: Type }>

/**
 * Handles the response to the last request, and a 401 for the current token. On a login form, a 401 counts as a
 * response if the session has no token, or if it is the response to a POST and its body is an AuthResponse.
 */
export function receiveResponse(next: Next, { request, result }: Event & { type: 'response' }): void {
  const { id, token, body, url, purpose } = request
  const isForm = url === next.site.loginPath && !body
  const isRejection = token === null || (body && readReply(result.body) !== null)
  if (result.status !== 401 || isForm || (next.shown.name === 'login' && isRejection)) {
    if (id !== next.requests) return
    if (body && result.text === 'not_sent') showUnsent(next, purpose as Command)
    else HANDLERS[purpose.type](next, result, purpose as never)
    return
  }
  // Ignores a 401 for an earlier token. Without a token, ignores a 401 for any request but the last.
  if (token !== next.token || (token === null && id !== next.requests)) return
  // The server has not done what was asked.
  if (body) change(next, { busy: null })
  const { user } = next
  const typed = purpose.type === 'act' ? purpose.action.fields.filter(({ id }) => purpose.fields[id]) : []
  const labels = typed.map(({ label }) => label)
  if (token !== null) endSession(next, user)
  if (labels.length > 0) loseChanges(next, labels, user)
  // These changes were saved.
  if (purpose.type === 'check') next.lost = null
  // Contract 4 rule 2. Unsaved changes are lost (contract 5.8).
  keepDraft(next, null)
  loadFirst(next, next.site.loginPath)
}

const HANDLERS: { [Type in Purpose['type']]: (next: Next, result: Result, purpose: PurposeOf<Type>) => void } = {
  open: onLoaded,
  submit: onSubmitted,
  save: onSaved,
  check: (next, _, { result, screen, wanted }) => receive(next, result, screen, wanted),
  act: onActed
}

function onLoaded(next: Next, result: Result, command: PurposeOf<'open'>) {
  const { site, shown } = next
  const { wanted } = command
  const { url, isFirst, message } = wanted
  const screen = result.ok ? readScreen(result.body) : null
  // A server that needs no login may send another screen, with its path in `Content-Location` or in a `redirect`.
  const isElsewhere = (result.location ?? site.loginPath) !== site.loginPath
  if (screen && (url !== site.loginPath || screen.authAction || isElsewhere)) {
    return receive(next, result, screen, wanted)
  }
  const text = textOf(next, result.text)
  next.again = { ...command, answered: 1 }
  if (isFirst || !('screen' in shown)) showFailure(next, { kind: 'error', text }, result)
  // The message of a pressed button is more useful. A 401 reaches this line only on a login form.
  else if (message?.text && (result.status === 401 || url === shown.path)) showMessage(next, message)
  else {
    const mayHelp = stateOf(next).canOpen && !['foreign', 'not_found'].includes(result.text)
    showRefusal(next, text, mayHelp && 'retry')
  }
}

function onSubmitted(next: Next, result: Result) {
  const { screen, values } = next.shown as Login
  const reply = readReply(result.body)
  if (reply === null || !isSendable(reply.token)) return showFailedLogin(next, result)
  const { token } = reply
  // With nothing but passwords, the user differs from all others. A change of user depends on the earlier user.
  const user = [typedUser(screen, values) || next.random, next.user].filter(Boolean).join('&')
  setToken(next, token, user)
  next.effects.push({ type: 'write', store: 'tokens', text: `${token}\n${user}` })
  const first = { url: reply.url || next.site.menuPath, isFirst: true }
  if (reply.screen) receive(next, result, reply.screen, first)
  else load(next, first)
}

/** Shows a failed login. The login form stays. */
function showFailedLogin(next: Next, result: Result) {
  const { screen, values } = next.shown as Login
  const { body, status, retryAfter = 0, ok } = result
  const reply = readReply(body)
  // With any other status, the server has not checked the credentials, so the form keeps the password.
  const isRejected = status === 401 || (reply?.success === false && (ok || status === 403))
  const passwords = isRejected ? passwordsOf(screen) : []
  const field = passwords[0]?.id
  const text = reply?.error || textOf(next, isRejected ? 'refused' : result.text)
  const isCut = result.text === 'unreachable'
  if (isCut) next.again = { type: 'submit' }
  change(next, {
    busy: null,
    values: new Map([...values, ...passwords.map(({ id }): [string, string] => [id, ''])]),
    message: { kind: 'error', text, ...(field && { field }), ...(isCut && { help: 'retry' }) },
    retryAt: retryAfter > 0 ? next.now + Math.min(retryAfter, LONGEST_LOCK) * 1000 : null
  })
}

function onSaved(next: Next, result: Result, { action }: PurposeOf<'save'>) {
  const { screen, values, path } = next.shown as Shown
  const saved = result.ok ? readScreen(result.body) : null
  const message = saved && statusOf(next, saved)
  if (saved !== null && message?.kind !== 'error') {
    const done: Message = { kind: 'success', text: textOf(next, 'saved') }
    const wanted = { url: path, replaces: true, message: done }
    const hasNewPassword = passwordsOf(screen).some(({ id, value }) => values.get(id) !== value)
    if (!hasNewPassword) return receive(next, result, saved, wanted)
    // A new password can end all sessions of the user. Then this request ends the session here, with the message.
    next.wanted = { url: next.site.menuPath, message: message ?? done }
    return send(next, { type: 'check', result, screen: saved, wanted }, next.site.menuPath)
  }
  if (result.text === 'unreachable') return showUnknown(next, action !== 'create')
  const refusal = message?.text ?? textOf(next, result.text)
  const isOther = saved ? isOtherVersion(saved, screen, values, next.site.locale) : result.text === 'conflict'
  showRefusal(next, refusal, isOther && action !== 'create' && 'reload')
}

/** Tells that the server may have done what was asked. The return of the network fetches the screen again. */
function showUnknown(next: Next, mayReload: boolean): void {
  const { shown } = next
  if (shown.name === 'screen') next.again = { type: 'open', wanted: { ...sameScreen(shown), keeps: true } }
  showRefusal(next, `${textOf(next, 'maybe_saved')}.`, shown.name === 'screen' && mayReload && 'reload')
}

function onActed(next: Next, result: Result) {
  const shown = next.shown as Login | Shown
  if (result.text === 'unreachable') return showUnknown(next, true)
  const reply = result.ok ? readReply(result.body) : null
  if (reply === null) return showRefusal(next, textOf(next, result.text))
  const { message, screen, url, replaces } = reply
  if (!reply.success) return showRefusal(next, reply.error || message || textOf(next, 'refused'))
  const done: Message = { kind: 'success', text: message || textOf(next, 'done') }
  if (screen !== null) receive(next, result, screen, { url: shown.path, replaces: true, message: done })
  else if (url !== '') load(next, { url, replaces, message: { ...done, text: message } })
  else if (shown.name === 'login') showMessage(next, done)
  else load(next, { ...sameScreen(shown), message: done })
}

/** Keeps the texts and the display name of a screen. Then shows the screen, or loads the goal instead. */
function receive(next: Next, result: Result, screen: Screen, wanted: ScreenRequest) {
  next.failures = 0
  next.wanted = null
  next.strings = screen.strings
  next.displayName = screen.displayName || next.displayName
  if (wanted.url === next.site.menuPath) next.menu = screen.menu
  if (wanted.isFirst && !screen.authAction) {
    const isForUser = next.goalUser === null || (next.user && next.user === next.goalUser)
    const goal = isForUser ? next.goal : null
    next.goal = null
    next.goalUser = null
    if (goal !== null) return load(next, { url: goal, isFirst: true })
  }
  if (changesIn(next).length > 0 && !wanted.keeps) keepDraft(next, null)
  showScreen(next, result, screen, wanted)
}

function showScreen(next: Next, result: Result, screen: Screen, wanted: ScreenRequest): void {
  const { site, ended, draft } = next
  const { url, isFirst = false, replaces = isFirst, message, isNew } = wanted
  const requested = site.pathOf(url) as string
  const path = result.location ?? requested
  const shown = {
    screen: { ...screen, actions: actionsOf(screen, isNew) },
    language: result.language ?? '',
    path,
    busy: null
  }
  const status = statusOf(next, screen, message?.kind) ?? (message?.text ? message : null)
  if (screen.authAction !== '') {
    const notice = ended?.notice ?? status
    next.shown = {
      ...shown,
      name: 'login',
      values: initialValues(screen, site.locale, ended?.user),
      message: messageOfLost(next, notice?.text) ?? notice,
      retryAt: null
    }
    next.ended = null
    return
  }
  // After a create, a request for the form of a new record may return the record, which has another path.
  const form = restore(draft && [requested, path].includes(draft.path) ? draft : null, screen, site.locale)
  next.shown = {
    ...shown,
    ...form,
    name: 'screen',
    message: messageOfLost(next) ?? messageOfRestored(next, screen, form) ?? status,
    replaces
  }
  next.lost = null
}

/** Returns the message about unsaved changes that are back, and about those of others; null if there are none. */
function messageOfRestored(next: Next, screen: Screen, { values, theirs }: ReturnType<typeof restore>): Message | null {
  const labels = fieldsOf(screen).flatMap(({ id, label }) => (theirs.has(id) ? label : []))
  if (labels.length > 0) return { kind: 'info', text: `${textOf(next, 'changed_meanwhile')} ${labels.join(', ')}` }
  const isChanged = changedFields(screen, values, next.site.locale).length > 0
  return isChanged ? { kind: 'info', text: textOf(next, 'restored') } : null
}

/** Shows a failure in place of a screen. */
export function showFailure(next: Next, message: Message, result?: Result): void {
  next.failures += 1
  const least = Math.min(result?.retryAfter ?? 0, MAX_RETRY_AFTER)
  // Random, so that not all clients retry in the same second.
  const wait = Math.max(least, Math.min(2 ** next.failures, LONGEST_WAIT)) * (1 + next.random / 2)
  const wanted = next.wanted as ScreenRequest
  next.again = { type: 'open', wanted }
  next.shown = {
    name: 'failed',
    message,
    path: next.site.pathOf(wanted.url),
    status: result?.status ?? 0,
    isOffline: result?.text === 'unreachable',
    retryAt: result && isTemporary(result) ? next.now + wait * 1000 : null,
    busy: null
  }
}

/** Tells that nothing was sent, because there is no network. The return of the network repeats the command. */
function showUnsent(next: Next, command: Command): void {
  next.again = command
  const mayRepeat = command.type !== 'act'
  showMessage(next, { kind: 'error', text: textOf(next, 'not_sent'), ...(mayRepeat && { help: 'retry' }) })
}

function showRefusal(next: Next, text: string, help?: Message['help'] | false): void {
  // If the message has a `help`, it is not about a single field.
  const { screen } = next.shown as Login | Shown
  const field = !help && canSave(screen) && fieldNamedBy(text, fieldsOf(screen))
  showMessage(next, { kind: 'error', text, ...(field && { field }), ...(help && { help }) })
}

/** Returns the message in the `status` of a screen; null if there is none. */
function statusOf(next: Next, { status }: Screen, kind: Message['kind'] = 'info'): Message | null {
  const text = status.replace(ERROR_PREFIX, '')
  if (text !== status) return { kind: 'error', text: text || textOf(next, 'refused') }
  return text === '' ? null : { kind, text }
}

/**
 * Returns the URLs for a Card. A Card with both `save` and `create` is for a new record. If a List or another Card
 * opened it, `create` applies. Otherwise `save` applies, for example if a menu opened it.
 */
function actionsOf({ actions }: Screen, isNew: boolean | undefined): Screen['actions'] {
  const isCreate = actions.create && (isNew || !actions.save)
  return { ...actions, [isCreate ? 'save' : 'create']: '' }
}
