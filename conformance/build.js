/** `npm run prepare`: compiles the package into dist. */
import { execSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
execSync('tsc --project tsconfig.build.json', { stdio: 'inherit' })
chmodSync('dist/cli.js', 0o755)
