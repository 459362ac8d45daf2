import { validToken } from './check-responses.ts'
import { BASELINE, type Contender, contenders, OURS } from './contenders.ts'
import { type Load, send } from './load.ts'
import { rowOf } from './measure.ts'
import type { Result, Row } from './report/report.ts'
import { spreadOf } from './report/spread.ts'
import { type Effort, type Entry, playRounds } from './rounds.ts'
import { Server } from './server.ts'
import { MEMORY_MEBIBYTES, targets } from './targets.ts'
import { tokensOf } from './tokens.ts'
import { menuWith, Traffic } from './traffic.ts'

/** How many tokens are made and sent at a time: a million would not fit into memory. */
const SLICE = 20_000
/** Requests before the memory is first measured, so that optimised code of V8 does not count as growth. */
const WARM_UP = 10_000
const MEBIBYTE = 2 ** 20

/** The numbers of routes and of distinct tokens to measure. */
export interface GrowthSteps {
  routes: number[]
  tokens: number[]
}

/** The size of a server when it is measured. */
interface Size {
  routes: number
  tokens: number
}

const SMALLEST: Size = { routes: 1, tokens: 1 }

interface Grown extends Entry {
  label: string
  packages: string[]
  size: Size
  /** Mebibytes that the tokens have added to resident memory. */
  mebibytes: number
}

/**
 * Measures `GET /menu/main` with one token on servers with ever more routes, and on servers that have seen ever more
 * tokens. Also measures the memory that the largest number of tokens takes.
 */
export async function measureGrowth({ routes, tokens }: GrowthSteps, effort: Effort): Promise<Result[]> {
  const sizes = [
    SMALLEST,
    ...routes.map(count => ({ ...SMALLEST, routes: count })),
    ...tokens.map(count => ({ ...SMALLEST, tokens: count }))
  ]
  const entries: Grown[] = []
  try {
    for (const contender of contenders.filter(({ name }) => name === BASELINE || name === OURS)) {
      for (const size of sizes) entries.push(await grow(contender, size))
    }
    const micros = await playRounds(entries, effort)
    return [costs(entries, micros), memory(entries)]
  } finally {
    await Promise.all(entries.map(({ server }) => server.stop()))
  }
}

async function grow(contender: Contender, size: Size): Promise<Grown> {
  const server = await Server.start(contender, { otherRoutes: size.routes - 1 })
  const name = nameOf(contender, size)
  const load: Load = { traffic: new Traffic(menuWith([validToken(server)])), status: 200 }

  await send(name, server, load, WARM_UP)
  const { memory: before } = await server.usageWithoutGarbage()
  for (let first = 1; first < size.tokens; first += SLICE) {
    const tokens = tokensOf(Math.min(SLICE, size.tokens - first), first)
    await send(name, server, { traffic: new Traffic(menuWith(tokens)), status: 200 }, tokens.length)
  }
  const { memory: after } = await server.usageWithoutGarbage()
  return {
    name,
    packages: contender.packages,
    label: `${contender.label}, ${count(size)}`,
    server,
    load,
    size,
    mebibytes: (after - before) / MEBIBYTE
  }
}

/** The ratio is to the smallest server of the same kind: 1 means no growth. */
function costs(entries: Grown[], micros: Map<string, number[]>): Result {
  const rows = entries.map(entry => {
    const isOurs = entry.name.startsWith(OURS)
    const row = rowOf(entry, micros, nameOf({ name: isOurs ? OURS : BASELINE }, SMALLEST))
    return isOurs && entry.size !== SMALLEST ? { ...row, target: targets.growth as number } : row
  })
  return {
    scenario: 'growth',
    title:
      'GET /menu/main with one token, as the server grows; ratio to the smallest server of the same kind',
    unit: 'µs per request',
    rows
  }
}

function memory(entries: Grown[]): Result {
  const most = Math.max(...entries.map(({ size }) => size.tokens))
  const rows: Row[] = entries
    .filter(({ size }) => size.tokens === most)
    .map(({ name, label, packages, mebibytes }) => ({
      name,
      label,
      packages,
      cost: spreadOf([mebibytes]),
      ratio: spreadOf([mebibytes / MEMORY_MEBIBYTES]),
      ...(name.startsWith(OURS) && { target: 1 })
    }))
  return {
    scenario: 'memory',
    title: `Resident memory that so many tokens have added; ratio to the allowed ${MEMORY_MEBIBYTES} MiB`,
    unit: 'MiB',
    rows
  }
}

function nameOf({ name }: Pick<Contender, 'name'>, { routes, tokens }: Size): string {
  return `${name} ${routes} ${tokens}`
}

function count({ routes, tokens }: Size): string {
  const [things, noun] = routes > 1 ? [routes, 'routes'] : [tokens, tokens > 1 ? 'tokens' : 'token']
  return `${things.toLocaleString('en')} ${noun}`
}
