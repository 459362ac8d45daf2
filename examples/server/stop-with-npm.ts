/** Milliseconds between two looks. */
const PERIOD = 250

/**
 * Started by `npm start`, the server ends with npm. npm passes a SIGTERM on to its shell only, and a shell such as dash
 * ends without passing it on: the server has another parent then.
 */
export function stopWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, PERIOD)
  timer.unref()
}
