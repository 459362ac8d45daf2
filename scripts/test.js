/** `npm test`: everything that must hold before a change is committed. It stops at the first step that fails. */
import { spawnSync } from 'node:child_process'

const STEPS = [
  'biome check',
  'tsc',
  'tsc --project examples/tsconfig.web.json',
  'node scripts/build.js',
  'tap --no-allow-incomplete-coverage',
  'publint --strict',
  'attw --pack . --profile esm-only'
]

// npm has put the commands of node_modules/.bin into the PATH.
for (const step of STEPS) {
  console.log(`> ${step}`)
  const { status } = spawnSync(step, { shell: true, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
