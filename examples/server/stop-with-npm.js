/**
 * Loaded by `npm start` before the server, which then ends with npm. npm passes a SIGTERM on to its shell only, and a
 * shell such as dash ends without passing it on: then the server has another parent.
 */
import { isMainThread } from 'node:worker_threads'

/** Milliseconds between two looks. */
const PERIOD = 250

if (isMainThread) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, PERIOD)
  timer.unref()
}
