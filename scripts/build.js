/** `npm run build`: compiles the package into dist, and puts the files beside it that are read as they are. */
import { execSync } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
execSync('tsc --project tsconfig.build.json', { stdio: 'inherit' })

for (const path of ['json', 'openapi.json', 'openapi-3.0.json']) {
  cpSync(`schemas/generated/${path}`, `dist/schemas/generated/${path}`, { recursive: true })
}
for (const name of readdirSync('conformance').filter(name => /\.(json|md)$/.test(name))) {
  cpSync(`conformance/${name}`, `dist/conformance/${name}`)
}
chmodSync('dist/conformance/cli.js', 0o755)
