import { once } from 'node:events'
import { NO_HTTP, type NoResponseError, open, send } from './http.ts'

/** Sentences that explain error codes of Node and OpenSSL to the user of the kit. */
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
    host => `the certificate of ${host} is for another name: use that name in the URL, or a certificate for this name.`
  ],
  [
    /CERT|UNABLE_TO/,
    host =>
      `the certificate of ${host} cannot be verified: save the certificate of its authority (a self-signed certificate is its own authority) in a file, and set NODE_EXTRA_CA_CERTS to the path of that file.`
  ]
]

/**
 * Explains why the server has not responded, and how to fix this.
 *
 * @param timeout seconds to wait for a response to a further request
 * @returns a sentence; undefined if the server responds to a plain request
 */
export async function explainUnreachable(
  url: URL,
  error: NoResponseError,
  timeout: number
): Promise<string | undefined> {
  const { host } = url
  const [, sentence] = REASONS.find(([pattern]) => pattern.test(error.code)) ?? []
  if (sentence !== undefined) return sentence(host)
  if (error.reason === 'unreachable') {
    const other = await explainWrongProtocol(url, timeout)
    return other ?? `${host} cannot be reached: ${error.message}. Correct the URL, or check the log of the server.`
  }

  const [responds, other] = await Promise.all([respondsTo(url, timeout), explainWrongProtocol(url, timeout)])
  if (responds) return undefined
  if (other !== undefined) return other
  if (error.code === 'ETIMEDOUT')
    return `${host} accepts connections, but does not respond: ${error.message}. Check the log of the server, or correct the port.`
  if (error.message === NO_HTTP) return `${host} does not speak HTTP/1.1. Correct the port.`
  return `${host} sends no response that can be read (${error.message}). Check the log of the server, or correct the port.`
}

/** Returns a sentence if the URL has `http:` instead of `https:`, or the reverse. Otherwise returns undefined. */
async function explainWrongProtocol(url: URL, timeout: number): Promise<string | undefined> {
  const other = new URL(url)
  other.protocol = url.protocol === 'http:' ? 'https:' : 'http:'
  // Without a port in the URL, the other protocol would use another port.
  if (url.port === '') return undefined
  const isOther = url.protocol === 'http:' ? await speaksTls(other, timeout) : await respondsTo(other, timeout)
  const [wrong, right] = [url.protocol, other.protocol].map(one => one.slice(0, -1).toUpperCase())
  return isOther ? `${url.host} speaks ${right} and not ${wrong}: use ${other.href}` : undefined
}

/** Whether the server responds to a plain request, with any response. */
export async function respondsTo(url: URL, timeout: number): Promise<boolean> {
  const request = { method: 'GET', path: url.pathname, headers: [] }
  return send(url, request, timeout).then(
    () => true,
    () => false
  )
}

/** Whether a TLS handshake succeeds, with any certificate. Sends no request. */
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
