import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { checkText, InvalidAnswerError, LONGEST_TIME, networkOf, ThrottleFailedError } from '../shared/index.ts'
import { Counter, type Place } from './counter.ts'
import { countOf, hasNoTimerLimit, makeStore } from './failure-store.ts'
import { InsuredStore, type Outage } from './insured-store.ts'
import type { Kind, ThrottleSettings } from './options.ts'

/** Seconds for which a network is known after a login: 30 days. */
const KNOWN_SECONDS = 30 * 86_400

/** Counts what has come of a check: `unknown` when the client is not told. Only the first call counts. */
export type Settle = (outcome: 'failed' | 'succeeded' | 'unknown') => Promise<void>

export type Throttle = Awaited<ReturnType<typeof createThrottle>>

/**
 * Limits failed logins by who tries, and from where. Every method throws ThrottleFailedError when a store fails.
 *
 * @throws InvalidOptionError when `store` fails or returns no store
 */
export async function createThrottle({ limits, store, nameOf }: ThrottleSettings, outage: Outage) {
  const make = async (kind: string, points: number, duration: number) => {
    const made = await makeStore(() => store({ keyPrefix: `screen_auth_${kind}`, points, duration }))
    if (made instanceof InsuredStore) made.join(outage)
    return made
  }
  const makeCounter = async (kind: Kind) =>
    new Counter(limits[kind], await make(kind, limits[kind].failures, limits[kind].seconds))
  const usernameAndAddress = await makeCounter('usernameAndAddress')
  const address = await makeCounter('address')
  const username = await makeCounter('username')
  const networks = await make('network', 1, KNOWN_SECONDS)

  const keep = (key: string) => networks.block(key, hasNoTimerLimit(networks) ? KNOWN_SECONDS : LONGEST_TIME)
  const timeOf = async (key: string) => (await countOf(networks, key))?.msBeforeNext ?? 0
  const isKnown = async (folded: string, login: string) => {
    const [known, forgotten] = await Promise.all([timeOf(login), timeOf(folded)])
    // Of the two, the one that is kept longer from now is the newer.
    return known > forgotten
  }

  return {
    /**
     * Reserves a place for a check in each counter.
     *
     * @returns what settles it, or the seconds for which it is blocked; 0 when others have to end before
     */
    async reserve(name: string, network: string, request: FastifyRequest): Promise<Settle | number> {
      const { folded, exact } = spellingsOf(nameOf, name, request)
      const login = `${exact}@${network}`
      const known = await inStore(() => isKnown(folded, login))
      // What fails is counted for all spellings of a name; what a success grants is for the one that was entered.
      const pair = known ? login : `${folded}@${network}`
      const reserved = [usernameAndAddress.reserve(pair, folded), address.reserve(network)]
      // In a network that is known, failures of strangers elsewhere must not lock the person out.
      if (!known) reserved.push(username.reserve(folded))

      const results = await inStore(() => Promise.all(reserved)).catch(error => {
        for (const result of reserved) result.then(place => giveBack([place])).catch(() => {})
        throw error
      })
      const waits = results.filter(result => typeof result === 'number')
      if (waits.length > 0) {
        await giveBack(results)
        return Math.max(...waits)
      }
      const places = results as Place[]
      let isSettled = false
      return async outcome => {
        if (isSettled) return
        isSettled = true
        if (outcome === 'unknown') return giveBack(places)
        if (outcome === 'failed') return inStore(() => all(places.map(place => place.fail())))
        // In a network that is known, it ends the row of failures.
        const rows = known ? places.splice(0, 1) : []
        return inStore(() => all([...rows.map(row => row.giveBackAll()), giveBack(places), keep(login)]))
      }
    },

    /** Forgets the networks from which a person has logged in with a name, in all its spellings: it only takes away. */
    async forgetNetworks(name: string, request: FastifyRequest | null): Promise<void> {
      const { folded } = spellingsOf(nameOf, name, request)
      await inStore(() => keep(folded))
    },

    /** Forgets the failures of a name, and those of an address. */
    async unlock(who: { username?: string; address?: string }, request: FastifyRequest | null): Promise<void> {
      const names = who.username === undefined ? [] : [spellingsOf(nameOf, who.username, request).folded]
      const addresses = who.address === undefined ? [] : [networkOf(who.address)]
      await inStore(() =>
        all([
          ...names.flatMap(name => [username.unlock(name), usernameAndAddress.unlock(name)]),
          ...addresses.map(network => address.unlock(network))
        ])
      )
    }
  }
}

/** Hashed: a name can be long, and some people type their password there. */
function spellingsOf(
  nameOf: ThrottleSettings['nameOf'],
  username: string,
  request: FastifyRequest | null
): { folded: string; exact: string } {
  const rule = 'throttle.nameOf must return a string, and no promise'
  try {
    const name = checkText(nameOf(username, request), rule)
    return { folded: digest(name), exact: digest(`${name}\0${username}`) }
  } catch (cause) {
    // Wrapped, because a status of the host's own error must not pass.
    throw cause instanceof InvalidAnswerError ? cause : new InvalidAnswerError(rule, { cause })
  }
}

function digest(name: string): string {
  return hash('sha256', name, 'base64url')
}

async function giveBack(results: (Place | number)[]): Promise<void> {
  await all(results.map(async result => typeof result !== 'number' && result.giveBack()))
}

async function all(changes: Promise<unknown>[]): Promise<void> {
  await Promise.all(changes)
}

async function inStore<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    throw new ThrottleFailedError({ cause })
  }
}
