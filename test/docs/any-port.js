/** Preloaded into a sample: it listens on free ports instead of those that it names, and tells the test which. */
import { Server } from 'node:net'

const { listen } = Server.prototype

Server.prototype.listen = /** @type {any} */ (
  /** @this {any} */
  function (/** @type {{ port: number }} */ options, /** @type {any[]} */ ...rest) {
    this.once('listening', () => process.send?.({ named: options.port, real: this.address().port }))
    return listen.call(this, { ...options, port: 0 }, ...rest)
  }
)
