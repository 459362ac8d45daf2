/**
 * `npm test`: what must hold before a change is committed. With `rest`, what takes longer; with `all`, both. It stops at
 * the first step that fails.
 */
import { spawnSync } from 'node:child_process'

const FIRST = [
  'biome check',
  'tsc',
  'tsc --project examples/tsconfig.web.json',
  'npm run build',
  'tap --no-allow-incomplete-coverage',
  'npm test --workspace client',
  'publint --strict'
]

// attw is large, and only needed here.
const ATTW = 'npx --yes @arethetypeswrong/cli@0.18.5 --profile esm-only --pack'
const REST = [
  'npm test --workspace conformance',
  'npm run test:slow --workspace conformance',
  'npm run test:slow',
  ...['client', 'conformance'].map(folder => `publint --strict ${folder}`),
  ...['.', 'client', 'conformance'].map(folder => `${ATTW} ${folder}`)
]

const [which = 'first'] = process.argv.slice(2)
const steps = { first: FIRST, rest: REST, all: [...FIRST, ...REST] }[which] ?? []

// npm has put the commands of node_modules/.bin into the PATH.
for (const step of steps) {
  console.log(`> ${step}`)
  const { status } = spawnSync(step, { shell: true, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
