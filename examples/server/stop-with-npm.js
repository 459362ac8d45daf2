/**
 * `npm start` loads this module before the server, so that the server ends when npm ends. npm sends a SIGTERM only to
 * its shell. A shell such as dash ends without forwarding the signal, so the server then has another parent process.
 */
import { isMainThread } from 'node:worker_threads'

/** Milliseconds between two checks. */
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
