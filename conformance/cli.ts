#!/usr/bin/env node
import { main } from './cli/main.ts'

// A reader that closes the pipe early, as head does, must not cost the reports and the exit status.
process.stdout.on('error', () => {})

process.exitCode = await main(process.argv.slice(2), process)
