import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { FastifyRequest } from 'fastify'
import { InvalidAnswerError, UserStoreError, WrongArgumentError } from '../base/errors.ts'
import { printable } from '../base/events.ts'
import { checkGroup } from '../base/option-rules.ts'
import { checkText, sha256 } from '../base/texts.ts'
import type { ScreenUser } from '../base/user.ts'
import { Attempt, type Counts, createCounts, type FullCount } from './counts.ts'
import { createKnownNetworks } from './known-networks.ts'
import { foldUsername, networkOf } from './normalization.ts'
import { type LoginLimits, settingsOf, THROTTLE_RULES, type ThrottleOptions, type ThrottleSettings } from './options.ts'

/** The result of a check; `error` is the message of the host, if any. */
export type CheckResult = { outcome: 'accepted'; user: ScreenUser } | { outcome: 'rejected'; error: string | null }
/** `retryAfter` is the number of seconds until the block ends. */
export type ThrottleResult = CheckResult | { outcome: 'blocked'; retryAfter: number }
type Login = { username: string; network: string; request: FastifyRequest }
/** Hashes of a username: it can be long, or a password by mistake. `spelling` is that of the name as typed. */
type Names = { name: string; spelling: string }

type UnlockTarget = Parameters<LoginLimits['unlock']>[0]

const addressKey = (network: string) => `screen_auth_failed_address:${network}`
const nameGenerationKey = (name: string) => `screen_auth_generation_of_name:${name}`
const nameKey = (name: string) => `screen_auth_failed_name:${name}`

/**
 * Creates limits of failed logins that a host can hold: scopes, and servers in one process, that are passed the same
 * object share all failures. A script that shares the `store` of running servers can unlock their users without an app.
 * Outside an app, a warning of `unlock` is a process warning.
 *
 * @param options as for `throttle`. Without a `store`, each object counts in a memory of its own
 * @returns an object for the option `throttle`
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an option is invalid
 * @example
 * const limits = loginLimits({ store: redisStore(redis, { prefix: 'shop:' }) })
 * await app.register(screenAuth, { throttle: limits, checkCredentials, mainMenu })
 * await limits.unlock({ username: 'ada' })
 */
export function loginLimits(options: ThrottleOptions = {}): LoginLimits {
  const settings = checkGroup(options, 'loginLimits', THROTTLE_RULES)
  const counts = createCounts(settings.store)
  // Neither function depends on the path of a scope.
  const { unlock, forgetNetworks } = createThrottle(settings, counts, '/')
  const limits: LoginLimits = { unlock, forgetNetworks }
  settingsOf.set(limits, { ...settings, counts })
  return limits
}

/** Creates the limits of failed logins by address, by username, and by the pair of both, for the scope at `scopePath`. */
export function createThrottle({ nameOf, ...limits }: ThrottleSettings, counts: Counts, scopePath: string) {
  const { store } = counts
  const networks = createKnownNetworks(store, scopePath)

  function namesOf(username: string, request?: FastifyRequest): Names {
    const message = 'throttle.nameOf must return a string, not a promise'
    try {
      const name = foldUsername(checkText(nameOf(username, request ?? null), message))
      return { name: sha256(name), spelling: sha256(`${name}\0${username}`) }
    } catch (cause) {
      // Wrapped, because the `statusCode` of the host's error must not become the status of the response.
      throw cause instanceof InvalidAnswerError ? cause : new InvalidAnswerError(message, { cause })
    }
  }

  const withGeneration = async (name: string) => name + ((await store.get(nameGenerationKey(name))) ?? '')
  /** Only for a count that ends now, because it takes a place. */
  async function logIfEmpty(key: string, whose: string): Promise<void> {
    const { taken } = await store.take(key, 1, 1000, 'unlock')
    if (taken) counts.log('warn', `unlock found no failed login ${whose}`)
  }

  /** Returns the first count that is full, or null. A login from a blocked address touches no other count. */
  async function takePlaces(attempt: Attempt, names: Names, network: string): Promise<FullCount | null> {
    const [fullAddress, isKnown, countedName] = await Promise.all([
      attempt.take(addressKey(network), limits.address),
      networks.includes(names.spelling, network),
      withGeneration(names.name)
    ])
    if (fullAddress) return fullAddress
    const fullPair = await attempt.take(`screen_auth_failed_pair:${countedName}@${network}`, limits.usernameAndAddress)
    // Strangers elsewhere must not lock a user out of a known network.
    return fullPair ?? (isKnown ? null : attempt.take(nameKey(countedName), limits.username))
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
    async run(login: Login, signal: AbortSignal, check: () => Promise<CheckResult>): Promise<ThrottleResult> {
      const { username, network, request } = login
      const names = namesOf(username, request)
      const attempt = await admit(names, network, signal)
      if (typeof attempt === 'number') return { outcome: 'blocked', retryAfter: attempt }
      signal.addEventListener('abort', attempt.end)
      const result = await check().catch(async error => {
        // The user store is down, so nobody has guessed.
        if (error instanceof UserStoreError && !signal.aborted) await attempt.giveBack()
        attempt.end()
        throw error
      })
      // A login whose client has gone is a failure, even with the right password.
      if (result.outcome === 'accepted' && !signal.aborted) {
        await attempt.giveBack()
        const accountNames = result.user.username === username ? names : namesOf(result.user.username, request)
        // While the store is down, the network becomes known in this process at most.
        await networks.add(names.spelling, accountNames.spelling, network).catch(() => {})
      }
      attempt.end()
      return result
    },

    async forgetNetworks(username: string, request?: FastifyRequest): Promise<void> {
      const hasLoggedIn = await networks.forget(namesOf(username, request).spelling)
      const text = `forgetNetworks found no login of ${printable(username)}; pass the username of checkCredentials`
      if (!hasLoggedIn) counts.log('info', text)
    },

    async unlock(target: UnlockTarget, request?: FastifyRequest): Promise<void> {
      const { username, address } = checkTarget(target)
      // A name has a count for each address. A new generation gives all of them new keys until the old counts end.
      const ms = 1000 * Math.max(limits.username.seconds, limits.usernameAndAddress.seconds)
      if (username !== undefined) {
        const { name, spelling } = namesOf(username, request)
        const key = nameKey(await withGeneration(name))
        await store.set(nameGenerationKey(name), randomUUID(), ms)
        // A known user may be locked out of a known network, whose failures this count lacks.
        if (!(await networks.hasLoggedIn(spelling)))
          await logIfEmpty(key, `of ${printable(username)} outside known networks`)
      }
      if (address !== undefined) {
        const key = addressKey(networkOf(address))
        await logIfEmpty(key, `from ${printable(address)}`)
        await store.delete(key)
      }
    }
  }
}

/** @throws WrongArgumentError for an invalid target: a misspelt property would silently unlock nothing */
function checkTarget(target: UnlockTarget): UnlockTarget {
  const { username, address, ...others } = Object(target) as Record<string, unknown>
  const given = [username, address].filter(one => one !== undefined)
  const isAddress = (text?: string) => text === undefined || text === 'unknown' || networkOf(text) !== 'unknown'
  const isValid = given.length > 0 && given.every(one => typeof one === 'string') && isAddress(address as string)
  if (isValid && Object.keys(others).length === 0) return target
  throw new WrongArgumentError('unlock takes { username, address } or one of the two; address is an IP address')
}
