/**
 * `npm test`: runs the checks that must pass before a commit. The argument `rest` runs the slower checks, `all` runs
 * both. Stops at the first step that fails.
 */
import { spawnSync } from 'node:child_process'

// attw and publint are no devDependencies, because only these steps need them.
const ATTW = 'npx --yes @arethetypeswrong/cli@0.18.5 --pack'
const PUBLINT = 'npx --yes publint@0.3.25 --strict'
const FIRST = [
  'biome check',
  'tsc',
  'tsc --project examples/tsconfig.web.json',
  'tap --no-allow-incomplete-coverage',
  'npm test --workspace client',
  `${PUBLINT} .`
]

const REST = [
  // `npm ci` has built the packages, but perhaps from other sources.
  'npm run build',
  'npm test --workspace conformance',
  'npm run test:slow --workspace conformance',
  'npm run test:slow',
  ...['client', 'conformance'].map(folder => `${PUBLINT} ${folder}`),
  `${ATTW} .`,
  ...['client', 'conformance'].map(folder => `${ATTW} ${folder} --profile esm-only`)
]

const [which = 'first'] = process.argv.slice(2)
const steps = { first: FIRST, rest: REST, all: [...FIRST, ...REST] }[which] ?? []

// npm adds node_modules/.bin to the PATH, so the steps need no npx.
for (const step of steps) {
  console.log(`> ${step}`)
  const { status } = spawnSync(step, { shell: true, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
