// What counts as one in the limits: all spellings of a username, and all addresses of a household.
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Characters that collations of databases ignore when they compare names: accents, control and invisible characters,
 * spaces, the tatweel (a stroke that lengthens a word) and characters that sort like it.
 */
const IGNORED =
  '\\p{M}\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}\u0640\u07FA\u0824\u0828\u180A\u1CD3\u1CF2\u1CF3\uFE73'
const NOT_IGNORED = new RegExp(`[^${IGNORED}]+`, 'gu')
/** Maximum length in UTF-16 code units. All longer names count as one name: folding 16 KB takes too long. */
const MAX_NAME_LENGTH = 256
/** Caches the values of digits: computing a value is slow, and Unicode has only several hundred digits. */
const digitValues = new Map<string, string>()

/**
 * Returns one spelling for all spellings that a user store may treat as the same name. Removes accents first, because
 * normalizing a long run of them takes quadratic time. Shortens the normalized name, because one ligature may become
 * eighteen letters. Converts to lower case first: only then `ẞ` and `ß` become the same.
 */
export function foldUsername(username: string): string {
  const name = removeIgnored(username)
  if (name.length > MAX_NAME_LENGTH) return ''
  const plain = removeIgnored(name.normalize('NFKD').slice(0, MAX_NAME_LENGTH))
  return plain
    .replace(/\p{Nd}/gu, digitOf)
    .toLowerCase()
    .toUpperCase()
}

function removeIgnored(text: string): string {
  let name = ''
  for (const [part] of text.matchAll(NOT_IGNORED)) {
    name += part
    if (name.length > MAX_NAME_LENGTH) break
  }
  return name
}

/** The value of a digit of any script. The ten digits of a script have consecutive code points. */
function digitOf(digit: string): string {
  const cached = digitValues.get(digit)
  if (cached !== undefined) return cached
  const code = digit.codePointAt(0) as number
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  digitValues.set(digit, String((code - zero) % 10))
  return digitOf(digit)
}

const NAT64 = ipaddr.IPv6.parse('64:ff9b::')

/**
 * Returns the network for which an address is limited: an IPv4 address itself, or the /56 network of an IPv6 address,
 * because a household can use any address of its /56 (RFC 6177 2), or a link-local address without its zone. Removes a
 * port, which some proxies append. Returns `unknown` if the text is not an address.
 */
export function networkOf(address = ''): string {
  if (isIPv4(address)) return address
  const bare = address.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  if (!ipaddr.isValid(bare)) return 'unknown'
  const parsed = ipaddr.process(bare)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  if (parsed.range() === 'linkLocal') return ipaddr.fromByteArray(parsed.toByteArray()).toString()
  const [a, b, c, d] = parsed.parts as [number, number, number, number]
  // NAT64 puts the IPv4 address of each client into the last 32 bits (RFC 6052 2.1).
  if (parsed.match(NAT64, 96)) return ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString()
  return `${[a, b, c, d & 0xff00].map(part => part.toString(16)).join(':')}::/56`
}
