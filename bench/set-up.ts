import { execSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Installs the servers that are compared, unless they are there, and builds this package. */
export function setUp(): void {
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  try {
    execSync('npm ls', { cwd, stdio: 'ignore' })
  } catch {
    execSync('npm ci --no-audit --no-fund', { cwd, stdio: ['ignore', 2, 2] })
  }
  execSync('npm run build', { cwd: new URL('..', import.meta.url), stdio: ['ignore', 2, 2] })
}
