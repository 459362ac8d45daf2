// Passwords of an LDAP directory (OpenLDAP, 389, Active Directory): a service account finds the entry of the entered
// name, then the server binds as that entry with the entered password. Pitfalls: a name in the text of a filter (`*`
// matches everyone), and a bind with an empty password, which succeeds anonymously. So the filter here is an object,
// and the plugin rejects empty passwords. LDAP_URL must begin with `ldaps:`: `ldap:` sends passwords in clear text.
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { AndFilter, Client, EqualityFilter } from 'ldapts'

const { LDAP_URL, LDAP_BASE, LDAP_BIND_DN, LDAP_BIND_PASSWORD } = process.env
if (!LDAP_URL || !LDAP_BASE || !LDAP_BIND_DN || !LDAP_BIND_PASSWORD) {
  throw new Error('Set LDAP_URL, LDAP_BASE, LDAP_BIND_DN and LDAP_BIND_PASSWORD')
}
const { protocol, hostname } = new URL(LDAP_URL)
if (protocol !== 'ldaps:' && hostname !== '127.0.0.1') throw new Error('LDAP_URL must begin with ldaps:')

// For Active Directory: sAMAccountName and user.
const [NAME, CLASS] = ['uid', 'person']
// Result codes of a rejected login: wrong password (49), entry without a password (48), locked account (19 and 53).
const REFUSALS = [49, 48, 19, 53]

/** Returns the only entry with the name, or undefined. */
async function findEntry(client, username) {
  const filters = [
    new EqualityFilter({ attribute: 'objectClass', value: CLASS }),
    new EqualityFilter({ attribute: NAME, value: username })
  ]
  // With a limit of 2, an ambiguous name has two entries.
  const options = { filter: new AndFilter({ filters }), attributes: [NAME, 'cn'], sizeLimit: 2 }
  const { searchEntries } = await client.search(LDAP_BASE, options)
  // If an entry has several names, one may belong to another person.
  const isOne = searchEntries.length === 1 && typeof searchEntries[0][NAME] === 'string'
  return isOne ? searchEntries[0] : undefined
}

async function isPasswordOf(client, { dn }, password) {
  try {
    await client.bind(dn, password)
    return true
  } catch (error) {
    if (REFUSALS.includes(error.code)) return false
    throw error
  }
}

async function findUser({ username, password }, signal) {
  // A connection and three requests: at most 8 of the 10 seconds that a login may take.
  const client = new Client({ url: LDAP_URL, connectTimeout: 2000, timeout: 2000 })
  try {
    await client.bind(LDAP_BIND_DN, LDAP_BIND_PASSWORD)
    const entry = await findEntry(client, username)
    signal.throwIfAborted()
    if (entry === undefined || !(await isPasswordOf(client, entry, password))) return null
    // The spelling of the directory: it treats ADA and ada as one user, but two tokens would be two users.
    return { username: entry[NAME], displayName: [entry.cn].flat()[0] ?? entry[NAME] }
  } catch (cause) {
    // The directory is down or slow, or rejects the service account. No failure, unless the client has left.
    throw Object.assign(new Error('the directory failed', { cause }), { statusCode: 503 })
  } finally {
    await client.unbind().catch(() => {})
  }
}

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  checkCredentials: async (fields, _request, signal) => {
    // Takes at least half a second. Otherwise the bind makes wrong logins slower if the name exists.
    const [user] = await Promise.all([findUser(fields, signal), sleep(500, undefined, { signal })])
    return user
  },
  // A login waits for the network and does not hash. With two servers or more, raise `throttle.address`, too.
  checks: { concurrency: 50 },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

await app.listen({ port: 3000 })
