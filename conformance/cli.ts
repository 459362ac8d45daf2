#!/usr/bin/env node
/** The version of Node, checked before any import, because an older Node cannot parse the other files. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`screen-auth-conformance needs Node 20.19 or later, this is ${process.version}.\n`)
  process.exitCode = 2
} else {
  // If `head`, for example, closes the pipe early, the kit still writes the reports and exits with the right status.
  process.stdout.on('error', () => {})
  const { main } = await import('./cli/main.ts')
  process.exitCode = await main(process.argv.slice(2), process).catch(reportCrash)
}

/** Prints the name and the stack of an error in the kit, but not its message, which could contain a secret. */
function reportCrash(error: unknown): number {
  const { name, stack = '' } = Object(error) as Partial<Error>
  const frames = stack.split('\n').filter(line => /^ {4}at /.test(line))
  process.stderr.write(
    `screen-auth-conformance: an error in the kit, please report it: ${name}\n${frames.join('\n')}\n`
  )
  return 2
}

export {}
