/** Preloaded into a sample: it listens on a free port instead of the one that it names, and tells the test which. */
import { Server } from 'node:net'

const { listen } = Server.prototype

Server.prototype.listen = /** @type {any} */ (
  /** @this {any} */
  function (/** @type {object} */ options, /** @type {any[]} */ ...rest) {
    this.once('listening', () => process.send?.(this.address().port))
    return listen.call(this, { ...options, port: 0 }, ...rest)
  }
)
