/** True for promises of all libraries. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null)?.then === 'function'
}

/**
 * Waits for the reply of a store. The time begins after the turn of the event loop that sends the command, and ends
 * with the turn that reads replies, because a turn may take seconds in a busy process.
 */
export function withTimeout<T>(promise: Promise<T>, ms: number, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const expire = () => setImmediate(() => reject(onTimeout()))
    const start = setImmediate(() => {
      timer = setTimeout(expire, ms)
    })
    const stop = () => {
      clearImmediate(start)
      clearTimeout(timer)
    }
    promise.then(resolve, reject)
    promise.then(stop, stop)
  })
}
