#!/usr/bin/env node
import { main } from './cli/main.ts'

// If `head`, for example, closes a pipe early, the kit still writes the reports and exits with the right status.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
const status = await main(process.argv.slice(2), process)
const signals = ['SIGINT', 'SIGTERM']
for (const signal of signals) process.on(signal, exit)
process.stdout.write('', () => process.stderr.write('', exit))

/** Exits, even if a stopped run still waits for a response. */
function exit() {
  // Node may wait for the lookup of a name. Without these listeners, a second signal ends the process at once.
  for (const signal of signals) process.removeAllListeners(signal)
  process.exit(status)
}
