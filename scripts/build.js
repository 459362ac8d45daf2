/** `npm run prepare`, a part of `npm run build`: compiles this package, and copies the published JSON into dist. */
import { execSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
execSync('tsc --project tsconfig.build.json', { stdio: 'inherit' })

for (const path of ['json', 'openapi.json', 'openapi-3.0.json']) {
  cpSync(`schemas/generated/${path}`, `dist/schemas/generated/${path}`, { recursive: true })
}
