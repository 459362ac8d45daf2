/** Preloaded into a sample: makes its servers listen on free ports, unless a test has chosen one by `freePort`. */
import { Server } from 'node:net'

const { listen } = Server.prototype

Server.prototype.listen = /** @type {any} */ (
  /** @this {any} */
  function (/** @type {{ port: number } | { path: string }} */ options, /** @type {any[]} */ ...rest) {
    // A Unix socket has no port.
    if ('path' in options) return listen.call(this, options, ...rest)
    this.once('listening', () => process.send?.({ named: options.port, real: this.address().port }))
    return listen.call(this, options.port < 20_000 ? { ...options, port: 0 } : options, ...rest)
  }
)
