import { once } from 'node:events'
import { type NoResponseError, open, send } from './http.ts'

/** What the codes of Node and OpenSSL mean for the one who has given the URL. */
const REASONS: [pattern: RegExp, sentence: (host: string) => string][] = [
  [
    /^ECONNREFUSED$/,
    host => `${host} cannot be reached: nothing listens there (ECONNREFUSED). Start the server, or correct the port.`
  ],
  [
    /^(ENOTFOUND|EAI_\w+)$/,
    host => `${host} cannot be reached: no address is known for that name. Correct the host in the URL.`
  ],
  [/^CERT_HAS_EXPIRED$/, host => `the certificate of ${host} has expired: renew it.`],
  [
    /ALTNAME/,
    host => `the certificate of ${host} is for another name: use that name in the URL, or a certificate for this one.`
  ],
  [
    /CERT|UNABLE_TO/,
    host =>
      `the certificate of ${host} cannot be verified: put that of its authority (a self-signed one is its own) into a file, and set NODE_EXTRA_CA_CERTS to the path of that file.`
  ]
]

/**
 * Says why no response has come yet, and what to do.
 *
 * @param timeout seconds to wait for another one
 * @returns a sentence; undefined when the server responds to a plain request
 */
export async function whyUnreachable(url: URL, error: NoResponseError, timeout: number): Promise<string | undefined> {
  const { host } = url
  const [, sentence] = REASONS.find(([pattern]) => pattern.test(error.code)) ?? []
  if (sentence !== undefined) return sentence(host)
  if (error.reason === 'unreachable') {
    const other = await otherProtocol(url, timeout)
    return other ?? `${host} cannot be reached: ${error.message}. Correct the URL, or look into the log of the server.`
  }

  const [responds, other] = await Promise.all([respondsTo(url, timeout), otherProtocol(url, timeout)])
  if (responds) return undefined
  if (other !== undefined) return other
  if (error.code === 'ETIMEDOUT')
    return `${host} accepts connections, and does not respond: ${error.message}. Look into the log of the server, or correct the port.`
  if (error.code.startsWith('HPE_')) return `${host} does not speak HTTP/1.1 (${error.message}). Correct the port.`
  return `${host} gives no response that can be read (${error.message}). Look into the log of the server, or correct the port.`
}

/** Says that the URL has the wrong one of `http:` and `https:`; undefined when it has not. */
export async function otherProtocol(url: URL, timeout: number): Promise<string | undefined> {
  const other = new URL(url)
  other.protocol = url.protocol === 'http:' ? 'https:' : 'http:'
  // A port that is not written is that of the protocol.
  if (url.port === '') return undefined
  const isOther = url.protocol === 'http:' ? await speaksTls(other, timeout) : await respondsTo(other, timeout)
  const [wrong, right] = [url.protocol, other.protocol].map(one => one.slice(0, -1).toUpperCase())
  return isOther ? `${url.host} speaks ${right} and not ${wrong}: use ${other.href}` : undefined
}

/** Whether the server responds to a plain request, in whatever way. */
export async function respondsTo(url: URL, timeout: number): Promise<boolean> {
  const request = { method: 'GET', path: url.pathname, headers: [] }
  return send(url, request, timeout).then(
    () => true,
    () => false
  )
}

/** Whether there is a handshake, with any certificate: nothing is sent. */
async function speaksTls(url: URL, timeout: number): Promise<boolean> {
  const socket = open(url, false)
  const signal = AbortSignal.timeout(Math.ceil(timeout * 1000))
  return once(socket, 'secureConnect', { signal })
    .then(
      () => true,
      () => false
    )
    .finally(() => socket.destroy())
}
