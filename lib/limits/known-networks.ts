import { randomUUID } from 'node:crypto'
import { sha256 } from '../base/texts.ts'
import type { Store } from '../stores/store.ts'

const DAY_MS = 86_400_000

/** The networks from which an account has logged in with one spelling of its name, with the times of the last logins. */
interface NetworksRecord {
  account: string
  /** The record is valid while this is the generation of the account, which `forget` changes. */
  generation: unknown
  networks: [network: string, lastLogin: number][]
}

/** Of all scopes, so that `forget` needs no scope path. */
const networksGenerationKey = (account: string) => `screen_auth_generation_of_networks:${account}`

/** Keeps the last 20 networks for each spelling of a username, as typed, for 30 days after the last login. */
export function createKnownNetworks(store: Store, scopePath: string) {
  // A scope at another path may have another user with this name.
  const inScope = (text: string) => sha256(scopePath + text)
  const recordKey = (spelling: string) => `screen_auth_networks:${inScope(spelling)}`
  const spellingsKey = (account: string) => `screen_auth_spellings:${inScope(account)}`
  const read = async (spelling: string) => (await store.get(recordKey(spelling))) as NetworksRecord | null

  async function networksOf(record: NetworksRecord | null): Promise<NetworksRecord['networks']> {
    const generation = record && (await store.get(networksGenerationKey(record.account)))
    const isValid = Array.isArray(record?.networks) && generation === record.generation
    return isValid ? record.networks.filter(entry => entry?.[1] > Date.now() - 30 * DAY_MS) : []
  }

  return {
    includes: async (spelling: string, network: string) =>
      (await networksOf(await read(spelling))).some(([name]) => name === network),

    /** Whether an account with this name has logged in, in any scope, or with this spelling in this scope. */
    hasLoggedIn: async (spelling: string) =>
      Boolean((await store.get(networksGenerationKey(spelling))) ?? (await read(spelling))),

    async add(spelling: string, account: string, network: string): Promise<void> {
      const key = networksGenerationKey(account)
      const [record, before] = await Promise.all([read(spelling), store.get(key)])
      const generation = before ?? randomUUID()
      const earlier = record?.account === account ? await networksOf(record) : []
      // Only five new spellings a day: many spellings of one name must take no room in the store from other accounts.
      if (earlier.length === 0 && !(await store.take(spellingsKey(account), 5, DAY_MS, spelling)).taken) return
      const networks = [[network, Date.now()], ...earlier.filter(([name]) => name !== network)].slice(0, 20)
      // The generation must outlive its records.
      const renewed = before ? store.touch(key, 31 * DAY_MS) : store.set(key, generation, 31 * DAY_MS)
      await Promise.all([renewed, store.set(recordKey(spelling), { account, generation, networks }, 30 * DAY_MS)])
    },

    /**
     * Makes the records invalid instead of deleting them, so that a login at the same moment cannot restore them. Resolves
     * to whether the account has logged in.
     */
    async forget(account: string): Promise<boolean> {
      const key = networksGenerationKey(account)
      const before = await store.get(key)
      // A store that is down returns null, and rejects the change.
      await (before ? store.set(key, randomUUID(), 31 * DAY_MS) : store.delete(key))
      return Boolean(before)
    }
  }
}
