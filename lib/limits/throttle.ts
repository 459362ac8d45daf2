import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { checkText, InvalidAnswerError, LONGEST_TIME, networkOf, ThrottleFailedError } from '../shared/index.ts'
import { Counter, type Reservation } from './counter.ts'
import { hasNoTimerLimit, makeStore, readCount } from './failure-store.ts'
import { InsuredStore, type Outage } from './insured-store.ts'
import type { Kind, ThrottleSettings } from './options.ts'

/** Seconds for which a network stays known after a login: 30 days. */
const KNOWN_SECONDS = 30 * 86_400

/**
 * Counts the outcome of a check. `unknown` means that the client does not learn the outcome. Later calls do nothing.
 */
export type Settle = (outcome: 'failed' | 'succeeded' | 'unknown') => Promise<void>

export type Throttle = Awaited<ReturnType<typeof createThrottle>>

/**
 * Creates the limits on failed logins by username and by network. Every method of the result throws ThrottleFailedError
 * when a store fails.
 *
 * @throws InvalidOptionError when `store` fails or does not return a store
 */
export async function createThrottle({ limits, store, nameOf }: ThrottleSettings, outage: Outage) {
  const make = async (kind: string, points: number, duration: number) => {
    const made = await makeStore(() => store({ keyPrefix: `screen_auth_${kind}`, points, duration }))
    if (made instanceof InsuredStore) made.useOutage(outage)
    return made
  }
  const makeCounter = async (kind: Kind) =>
    new Counter(limits[kind], await make(kind, limits[kind].failures, limits[kind].seconds))
  const usernameAndAddress = await makeCounter('usernameAndAddress')
  const address = await makeCounter('address')
  const username = await makeCounter('username')
  const networks = await make('network', 1, KNOWN_SECONDS)

  const mark = (key: string) => networks.block(key, hasNoTimerLimit(networks) ? KNOWN_SECONDS : LONGEST_TIME)
  const timeLeft = async (key: string) => (await readCount(networks, key))?.msBeforeNext ?? 0
  const isKnown = async (folded: string, login: string) => {
    const [known, forgotten] = await Promise.all([timeLeft(login), timeLeft(folded)])
    // Both marks have the same lifetime, so the mark that expires later is newer.
    return known > forgotten
  }

  return {
    /**
     * Counts a check in each counter before it runs.
     *
     * @returns a function that counts the outcome, or the seconds of the block; 0 if the caller must wait for running
     * checks
     */
    async reserve(name: string, network: string, request: FastifyRequest): Promise<Settle | number> {
      const { folded, exact } = spellingsOf(nameOf, name, request)
      const login = `${exact}@${network}`
      const known = await callStore(() => isKnown(folded, login))
      // A failure counts for all spellings of a name. A success makes the network known only for the entered spelling:
      // there, the pair counts only the failures of this spelling.
      const pair = known ? login : `${folded}@${network}`
      const reserved = [usernameAndAddress.reserve(pair, folded), address.reserve(network)]
      // Failures of strangers elsewhere must not lock the user out of a known network.
      if (!known) reserved.push(username.reserve(folded))

      const results = await callStore(() => Promise.all(reserved)).catch(error => {
        for (const result of reserved) result.then(reservation => release([reservation])).catch(() => {})
        throw error
      })
      const waits = results.filter(result => typeof result === 'number')
      if (waits.length > 0) {
        await release(results)
        return Math.max(...waits)
      }
      const reservations = results as Reservation[]
      let isSettled = false
      return async outcome => {
        if (isSettled) return
        isSettled = true
        if (outcome === 'unknown') return release(reservations)
        if (outcome === 'failed') return callStore(() => all(reservations.map(reservation => reservation.fail())))
        // In a known network, a success resets the failures of the pair of username and address.
        const toReset = known ? reservations.splice(0, 1) : []
        return callStore(() =>
          all([...toReset.map(reservation => reservation.releaseAndReset()), release(reservations), mark(login)])
        )
      }
    },

    /** Forgets the known networks of a name in all its spellings. This is safe, because it grants no access. */
    async forgetNetworks(name: string, request: FastifyRequest | null): Promise<void> {
      const { folded } = spellingsOf(nameOf, name, request)
      await callStore(() => mark(folded))
    },

    /** Resets the failures of a name, of an address, or of both. */
    async unlock(target: { username?: string; address?: string }, request: FastifyRequest | null): Promise<void> {
      const names = target.username === undefined ? [] : [spellingsOf(nameOf, target.username, request).folded]
      const addresses = target.address === undefined ? [] : [networkOf(target.address)]
      await callStore(() =>
        all([
          ...names.flatMap(name => [username.unlock(name), usernameAndAddress.unlock(name)]),
          ...addresses.map(network => address.unlock(network))
        ])
      )
    }
  }
}

/** Hashes the spellings, because a name can be long, and some users enter their password as the name. */
function spellingsOf(
  nameOf: ThrottleSettings['nameOf'],
  username: string,
  request: FastifyRequest | null
): { folded: string; exact: string } {
  const rule = 'throttle.nameOf must return a string, not a promise'
  try {
    const name = checkText(nameOf(username, request), rule)
    return { folded: digest(name), exact: digest(`${name}\0${username}`) }
  } catch (cause) {
    // Wrapped, because the `statusCode` of the host's error must not become the status of the response.
    throw cause instanceof InvalidAnswerError ? cause : new InvalidAnswerError(rule, { cause })
  }
}

function digest(name: string): string {
  return hash('sha256', name, 'base64url')
}

async function release(results: (Reservation | number)[]): Promise<void> {
  await all(results.map(async result => typeof result !== 'number' && result.release()))
}

async function all(changes: Promise<unknown>[]): Promise<void> {
  await Promise.all(changes)
}

async function callStore<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new ThrottleFailedError({ cause })
  }
}
