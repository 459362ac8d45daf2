// The mutants that no test can kill. They are listed in survivors.json, each with the reason.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutant } from '@stryker-mutator/api/core'

export interface Survivor {
  file: string
  mutator: string
  /** The code before and after the change. Without its position, because that moves. */
  original: string
  replacement: string
}

// Stryker runs a copy of this file in its own folder. This is the folder of the original code.
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\.stryker-tmp\/.*$/, '')

export const listed: (Survivor & { reason: string })[] = JSON.parse(
  readFileSync(new URL('survivors.json', import.meta.url), 'utf8')
)

/** @param first number of the first line and column: Stryker counts from 0 while it runs, and from 1 in its report */
export function toSurvivor(mutant: Mutant, first: 0 | 1): Survivor {
  return {
    file: relative(root, mutant.fileName),
    mutator: mutant.mutatorName,
    original: originalOf(mutant, first),
    replacement: mutant.replacement
  }
}

export function isSame(one: Survivor, other: Survivor): boolean {
  return (['file', 'mutator', 'original', 'replacement'] as const).every(key => one[key] === other[key])
}

function originalOf({ fileName, location: { start, end } }: Mutant, first: number): string {
  const lines = readFileSync(fileName, 'utf8').split('\n')
  const text = lines.slice(start.line - first, end.line - first + 1)
  text.push((text.pop() as string).slice(0, end.column - first))
  text[0] = (text[0] as string).slice(start.column - first)
  return text.join('\n')
}
