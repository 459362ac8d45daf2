import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Contender } from './contenders.ts'

export function cpuModel(): string {
  return cpus()[0]?.model ?? 'unknown'
}

/** The installed versions of all packages of these contenders. */
export function versionsOf(contenders: Contender[]): Record<string, string> {
  const names = [...new Set(contenders.flatMap(({ packages }) => packages))].sort()
  return Object.fromEntries(names.map(name => [name, versionOf(name)]))
}

function versionOf(name: string): string {
  const places =
    name === 'fastify-screen-auth' ? ['../'] : [`node_modules/${name}/`, `../node_modules/${name}/`]
  for (const place of places) {
    const version = versionIn(new URL(`${place}package.json`, import.meta.url))
    if (version !== null) return version
  }
  throw new Error(`${name} is not installed`)
}

function versionIn(file: URL): string | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).version
  } catch {
    return null
  }
}
