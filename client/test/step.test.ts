// The steps of a session in random sequences of events: login, 401, logout elsewhere, late responses, offline, edits.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { changesIn, type Effect, type Event, firstModel, type Model, type Request } from '../model.ts'
import { createService, type Result } from '../service.ts'
import { step } from '../step.ts'
import { CARD, FORM, MENU } from './fixtures.ts'

const site = createService('http://x', fetch, 'en').site
const RESULT: Result = {
  ok: true,
  status: 200,
  body: null,
  text: 'not_a_screen',
  location: null,
  language: '',
  retryAfter: 0
}
const failed = (status: number, text: Result['text']): Result => ({
  ...RESULT,
  ok: false,
  status,
  body: undefined,
  text
})

/** What a server sends to a user, in the names of that user. */
const SCREENS = [MENU, CARD, { ...CARD, status: 'Error: City: no.' }, { ...CARD, actions: {} }]
const FAILURES = [
  failed(401, 'refused'),
  failed(503, 'server_unavailable'),
  failed(404, 'not_found'),
  failed(0, 'unreachable'),
  failed(0, 'not_sent')
]

const button = { id: 'b', label: 'B', kind: 'simple', endpoint: '/act', confirmMessage: '', fields: [] }
const commands: Event[] = [
  { type: 'start', url: '/card' },
  { type: 'submit' },
  { type: 'open', wanted: { url: '/card' } },
  { type: 'open', wanted: { url: '/card', keeps: true, replaces: true } },
  { type: 'save' },
  { type: 'save', action: 'create' },
  { type: 'save', action: 'delete' },
  { type: 'act', action: button, fields: {} },
  { type: 'act', action: { ...button, kind: 'confirm' }, fields: {} },
  { type: 'logOut' },
  { type: 'enter', values: { city: 'Paris' } },
  { type: 'enter', values: { city: 'London', name: 'Eve' } },
  { type: 'enter', values: { username: 'eve', password: 'p' } },
  { type: 'tell', message: null },
  { type: 'retry' },
  { type: 'online' },
  { type: 'due' },
  { type: 'cancel' }
]
const move = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...commands).map(event => ({ event })) },
  // A response to the last request, or a late one to an earlier request.
  { weight: 6, arbitrary: fc.record({ isLast: fc.boolean(), screen: fc.nat(3), failure: fc.option(fc.nat(4)) }) },
  { weight: 2, arbitrary: fc.boolean().map(isYes => ({ isYes })) },
  { weight: 1, arbitrary: fc.constantFrom('logout', 'ada', 'eve').map(elsewhere => ({ elsewhere })) }
)

/** A server, a person and other tabs, around the steps. Checks what must hold after every step. */
class World {
  model: Model = firstModel(site)
  requests: Request[] = []
  questions: Extract<Effect, { type: 'ask' }>[] = []
  /** The tokens that are still valid, and their users. */
  users = new Map<string, string>()
  readonly stores: Record<'tokens' | 'drafts', string | null> = { tokens: null, drafts: null }
  #tokens = 0

  /** Ada is at her Card. */
  constructor() {
    this.stores.tokens = `${this.issue('ada')}\nusername=ada`
    this.handle({ type: 'start', url: '/card' })
    for (const screen of [0, 1]) this.respond(this.requests[0] as Request, screen, null)
  }

  issue(user: string): string {
    const token = `${user}-${++this.#tokens}`
    this.users.set(token, user)
    return token
  }

  handle(event: Event): void {
    const before = this.model
    // The page is loaded again, and knows nothing of earlier requests.
    if (event.type === 'start') this.requests = []
    const [model, effects] = step(before, event, 0, 0.5)
    this.model = model
    for (const effect of effects) {
      if (effect.type === 'send') this.#onSend(effect.request)
      if (effect.type === 'ask') this.questions.push(effect)
      if (effect.type === 'write') this.stores[effect.store] = effect.text
      if (effect.type === 'logOut') this.users.delete(effect.token)
      if (effect.type === 'read') this.handle({ ...effect, login: this.stores.tokens, draft: this.stores.drafts })
    }
    this.#check(before, event)
  }

  #onSend(request: Request): void {
    const { token, body } = request
    if (token !== null) assert.ok(this.users.has(token), 'a token is sent after its logout')
    const isChange = (one: Request) => one.body && one.token === token && one.token !== null
    if (body && token) assert.ok(!this.requests.some(isChange), 'two requests that change at once')
    this.requests.push(request)
  }

  #check(before: Model, event: Event): void {
    const { shown, token, draft, lost } = this.model
    if (shown.name === 'screen' && token !== null) {
      assert.equal(
        shown.screen.displayName,
        this.users.get(token) ?? token.split('-')[0],
        'the screen of another person'
      )
    }
    if (token === null)
      assert.deepEqual([this.stores.tokens, draft], [null, null], 'a token or a draft after the end of the session')
    const isTold = /were lost|No response/.test(JSON.stringify(shown))
    if (before.lost) assert.ok(lost || isTold || event.type === 'logOut', 'a loss that nobody tells')
    const hasDraft = (one: Model) => changesIn(one).length > 0 || one.draft !== null
    const isDropped = hasDraft(before) && !hasDraft(this.model)
    const isExpected = ['enter', 'answer'].includes(event.type) || (event.type === 'response' && event.result.ok)
    if (isDropped && !isExpected) assert.ok(lost || isTold, `a draft is lost without a message after ${event.type}`)
  }

  respond(request: Request, screen: number, failure: number | null) {
    this.requests = this.requests.filter(one => one !== request)
    const user = this.users.get(request.token ?? '')
    const respond = (result: Partial<Result>) =>
      this.handle({ type: 'response', request, result: { ...RESULT, ...result } })
    if (failure !== null && FAILURES[failure]?.status !== 401) return respond(FAILURES[failure] as Result)
    if (request.url === site.loginPath && !request.body) return respond({ body: FORM })
    if (request.url === site.loginPath) {
      const { fields } = request.body as { fields: { username: string } }
      const token = fields.username && failure === null ? this.issue(fields.username) : null
      const menu = { ...MENU, user_display_name: fields.username }
      return respond({
        body: { success: token !== null, token, error: 'no', screen: token && screen > 1 ? menu : null }
      })
    }
    if (user !== undefined && failure === null)
      return respond({ body: { ...SCREENS[screen], user_display_name: user } })
    this.users.delete(request.token ?? '')
    respond(FAILURES[0] as Result)
  }

  /** A login or a logout in another tab. */
  change(user: string | null): void {
    if (user === null) this.users.delete(this.model.token ?? '')
    this.stores.tokens = user && `${this.issue(user)}\nusername=${user}`
    this.handle({ type: 'token', text: this.stores.tokens })
  }
}

t.test(
  'no token outlives its session, nobody sees another person, and no draft is lost without a message',
  async () => {
    const property = fc.property(fc.array(move, { maxLength: 60 }), moves => {
      const world = new World()
      for (const move of moves) {
        if ('event' in move) world.handle(move.event)
        else if ('elsewhere' in move) world.change(move.elsewhere === 'logout' ? null : move.elsewhere)
        else if ('isYes' in move) {
          for (const question of world.questions.splice(0))
            world.handle({ ...question, type: 'answer', isYes: move.isYes })
        } else {
          const request = move.isLast ? world.requests.at(-1) : world.requests[0]
          if (request) world.respond(request, move.screen, move.failure)
        }
      }
    })
    fc.assert(property, { numRuns: Number(process.env.FUZZ_RUNS ?? 2_000) })
  }
)
