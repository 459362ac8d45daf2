#!/usr/bin/env node
/** Nothing is imported before the version is known: an older Node cannot even read the rest. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`screen-auth-conformance needs Node 20.19 or later, this is ${process.version}.\n`)
  process.exitCode = 2
} else {
  // A reader that closes the pipe early, as head does, must not cost the reports and the exit status.
  process.stdout.on('error', () => {})
  const { main } = await import('./cli/main.ts')
  process.exitCode = await main(process.argv.slice(2), process).catch(tell)
}

/** Says where the kit itself is wrong. Without the message: it could have a secret. */
function tell(error: unknown): number {
  const { name, stack = '' } = Object(error) as Partial<Error>
  const frames = stack.split('\n').filter(line => /^ {4}at /.test(line))
  process.stderr.write(`screen-auth-conformance: a fault of the kit, please report it: ${name}\n${frames.join('\n')}\n`)
  return 2
}

export {}
