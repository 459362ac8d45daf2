// Runs the steps of a session: does what a step demands, and starts the next step with the result.
import { type Effect, type Event, type Model, stateOf } from './model.ts'
import type { Service } from './service.ts'
import type { Question, State } from './state.ts'
import { step } from './step.ts'
import { attempt, memoryStore, type Store } from './stores.ts'

/** What the host gives to a session. */
export interface Host {
  /**
   * Stores the token, and behind a line break what its user typed at the login, except passwords. Use one store for
   * each base URL: a token must not reach another server. Default: in memory.
   */
  tokens?: Store
  /** Stores the unsaved changes, so that they survive a reload. Default: in memory. */
  drafts?: Store
  /** Asks the person before changes are lost, before a delete, and before a `confirm` button. Default: always yes. */
  confirm?: (question: Question) => boolean | Promise<boolean>
}

/** The object whose properties show a model to a view. */
export interface View {
  state: State
  strings: Model['strings']
  menu: Model['menu']
}

/** Handles an event. Resolves when all that follows from it, for example the response to a request, is handled too. */
export type Handle = (event: Event, view: View) => Promise<void>

/** The events of the platform, if it has any. */
const platform = globalThis as {
  addEventListener?(type: string, listener: () => void): void
  removeEventListener?(type: string, listener: () => void): void
}

/** @param notify is called after each change of the view */
export function createRunner(
  host: Host,
  service: Service,
  first: Model,
  notify: () => void
): { handle: Handle; stop: () => void } {
  const { tokens = memoryStore(), drafts = memoryStore(), confirm = () => true } = host
  const stores = { tokens, drafts }
  let model = first
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopWatching = () => {}
  /** The last write of the token. The next one waits, so that a slow write does not put back a token after a logout. */
  let writing: Promise<unknown> | null = null
  /** The number of calls of `stop()`. What began before the last one has no consequence. */
  let stops = 0

  return { handle, stop }

  function stop(): void {
    stops += 1
    clearTimeout(timer)
    stopWatching()
  }

  async function handle(event: Event, view: View): Promise<void> {
    const [next, effects] = step(model, event)
    const isOther = next.shown !== model.shown
    const isOtherToken = next.token !== model.token
    model = next
    const before = stops
    const then = async (following: Event) => {
      if (stops === before) await handle(following, view)
    }
    // The view comes later, because its listener may call a method, whose effects must not overtake these.
    const running = effects.map(effect => run(effect, then))
    if (isOther || isOtherToken) view.state = stateOf(next)
    view.strings = next.strings
    view.menu = next.menu
    if (isOther) {
      schedule(then)
      notify()
    }
    await Promise.all(running)
  }

  async function run(effect: Effect, then: (event: Event) => Promise<void>): Promise<void> {
    switch (effect.type) {
      case 'read': {
        await writing
        const [login, draft] = await Promise.all([tokens, drafts].map(store => attempt(() => store.read())))
        return then({ ...effect, login, draft })
      }
      case 'watch':
        return watch(then)
      case 'write':
        return write(effect)
      case 'send': {
        const { url, token, body } = effect.request
        return then({ type: 'response', request: effect.request, result: await service.send(url, token, body) })
      }
      case 'ask': {
        return then({ ...effect, type: 'answer', isYes: await isYes(effect.question) })
      }
      case 'logOut':
        // Nobody waits for the response, because the contract has no logout.
        service.send(model.site.logoutPath, effect.token, undefined, 'POST')
    }
  }

  async function isYes(question: Question): Promise<boolean> {
    try {
      return (await confirm(question)) === true
    } catch (error) {
      console.error(error)
      return false
    }
  }

  /** Nobody waits for a write. */
  function write({ store, text }: Extract<Effect, { type: 'write' }>): void {
    const put = () => attempt(() => (text === null ? stores[store].clear() : stores[store].write(text)))
    if (store === 'drafts') put()
    else writing = writing ? writing.then(put) : put()
  }

  function watch(then: (event: Event) => Promise<void>): void {
    const onOnline = () => then({ type: 'online' })
    let end: (() => void) | undefined
    stopWatching()
    attempt(() => {
      end = tokens.watch?.(text => then({ type: 'token', text }))
    })
    platform.addEventListener?.('online', onOnline)
    stopWatching = () => {
      end?.()
      platform.removeEventListener?.('online', onOnline)
    }
  }

  /** Sets the timer for the end of a lockout or for a retry. */
  function schedule(then: (event: Event) => Promise<void>): void {
    const { shown } = model
    clearTimeout(timer)
    if (!('retryAt' in shown) || shown.retryAt === null) return
    timer = setTimeout(() => then({ type: 'due' }), shown.retryAt - Date.now())
    // The timer of a lockout sends no request, so a Node process may exit before it fires.
    if (shown.name === 'login') (timer as { unref?(): void }).unref?.()
  }
}
