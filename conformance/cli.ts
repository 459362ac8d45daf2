#!/usr/bin/env node
import { main } from './cli/main.ts'

// If `head`, for example, closes a pipe early, the kit still writes the reports and exits with the right status.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
process.exitCode = await main(process.argv.slice(2), process)
