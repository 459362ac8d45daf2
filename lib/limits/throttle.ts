import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { FastifyRequest } from 'fastify'
import { checkText, has, InvalidAnswerError, networkOf, UserStoreError } from '../shared/index.ts'
import { Attempt, type Counts, type FullCount } from './attempt.ts'
import { foldUsername } from './fold-username.ts'
import { createKnownNetworks } from './known-networks.ts'
import type { ThrottleSettings } from './options.ts'

export type CheckResult = { user: { username: string } } | { error: string | null }
type Login = { username: string; network: string; request: FastifyRequest }
/** Hashes of a username: it can be long, or a password by mistake. `exact` depends on the spelling as typed, too. */
type Names = { folded: string; exact: string }

const addressKey = (network: string) => `screen_auth_failed_address:${network}`
const generationKey = (folded: string) => `screen_auth_generation_of_name:${folded}`
const digest = (name: string) => hash('sha256', name, 'base64url')

/** Creates the limits of failed logins by address, by username, and by the pair of both. */
export function createThrottle({ limits, nameOf }: ThrottleSettings, counts: Counts) {
  const { store } = counts
  const networks = createKnownNetworks(store)

  function namesOf(username: string, request: FastifyRequest | null): Names {
    const message = 'throttle.nameOf must return a string, not a promise'
    try {
      const name = foldUsername(checkText(nameOf(username, request), message))
      return { folded: digest(name), exact: digest(`${name}\0${username}`) }
    } catch (cause) {
      // Wrapped, because the `statusCode` of the host's error must not become the status of the response.
      throw cause instanceof InvalidAnswerError ? cause : new InvalidAnswerError(message, { cause })
    }
  }

  /** Returns the first count that is full, or null. A login from a blocked address touches no other count. */
  async function takePlaces(attempt: Attempt, names: Names, network: string): Promise<FullCount | null> {
    const [fullAddress, known, generation] = await Promise.all([
      attempt.take(addressKey(network), limits.address),
      networks.read(names.exact),
      store.get(generationKey(names.folded))
    ])
    if (fullAddress) return fullAddress
    const name = names.folded + (typeof generation === 'string' ? generation : '')
    const [fullPair, isKnown] = await Promise.all([
      attempt.take(`screen_auth_failed_pair:${name}@${network}`, limits.usernameAndAddress),
      networks.includes(known, network)
    ])
    if (fullPair) return fullPair
    // Strangers elsewhere must not lock a user out of a known network.
    return isKnown ? null : attempt.take(`screen_auth_failed_name:${name}`, limits.username)
  }

  /** Takes a place in each count of a login. If a count is full, returns the seconds until it ends. */
  async function admit(names: Names, network: string, signal: AbortSignal): Promise<Attempt | number> {
    const aborted = once(signal, 'abort')
    for (;;) {
      const attempt = new Attempt(counts)
      const full = await takePlaces(attempt, names, network)
      if (full || signal.aborted) await attempt.giveBack()
      signal.throwIfAborted()
      if (!full) return attempt
      if (full.holders.length === 0) return Math.max(1, Math.ceil(full.ms / 1000))
      // The checks of the holders may succeed. A login that waits has no places, so no two wait for each other.
      await Promise.race([Promise.all(full.holders.map(({ ended }) => ended)), aborted])
    }
  }

  return {
    /** Runs a check, unless a limit is reached. Returns its result, or the seconds until the block ends. */
    async run<Result extends CheckResult>(login: Login, signal: AbortSignal, check: () => Promise<Result>) {
      const { username, network, request } = login
      const names = namesOf(username, request)
      const attempt = await admit(names, network, signal)
      if (typeof attempt === 'number') return { blockedFor: attempt }
      signal.addEventListener('abort', attempt.end)
      const result = await check().catch(async error => {
        // The user store is down, so nobody has guessed.
        if (error instanceof UserStoreError && !signal.aborted) await attempt.giveBack()
        attempt.end()
        throw error
      })
      // A login whose client has gone is a failure, even with the right password.
      if (has(result, 'user') && !signal.aborted) {
        await attempt.giveBack()
        const account = result.user.username === username ? names : namesOf(result.user.username, request)
        // While the store is down, the network becomes known in this process at most.
        await networks.add(names.exact, account.exact, network).catch(() => {})
      }
      attempt.end()
      return result
    },

    /** @param username of the account, as the check returned it */
    async forgetNetworks(username: string, request: FastifyRequest | null): Promise<void> {
      await networks.forget(namesOf(username, request).exact)
    },

    /** Clears the failures of a name from all addresses, the failures of an address, or both. */
    async unlock({ username, address }: { username?: string; address?: string }, request: FastifyRequest | null) {
      // A name has a count for each address. A new generation gives all of them new keys until the old counts end.
      const ms = 1000 * Math.max(limits.username.seconds, limits.usernameAndAddress.seconds)
      if (username !== undefined) await store.set(generationKey(namesOf(username, request).folded), randomUUID(), ms)
      if (address !== undefined) await store.delete(addressKey(networkOf(address)))
    }
  }
}
