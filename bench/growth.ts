import { type Effort, Entry, type Load, runRounds } from './load.ts'
import { type Measured, type Result, rowsOf } from './report.ts'
import { get, menusOf } from './requests.ts'
import { ours } from './scenarios.ts'
import { Server } from './server.ts'

/** Number of tokens that are generated and sent together: a million would not fit into memory. */
const SLICE = 20_000
/** Requests before the first measurement, so that the memory of code that V8 optimises does not count as growth. */
const WARM_UP = 10_000
const OTHER_ROUTES = 5_000
const MEBIBYTE = 2 ** 20
/** Mebibytes by which a million distinct tokens may increase resident memory. */
const ALLOWED = 32

/**
 * Measures `GET /menu/main` with one token on a small server, on one with many routes, and on one that has checked many
 * tokens. Also measures the memory that these tokens use.
 */
export async function measureGrowth(tokens: number, effort: Effort): Promise<Result[]> {
  const measured = (label: string, target?: number): Measured => ({ label, costs: [], target })
  const entryOf = async (measured: Measured, otherRoutes = 0): Promise<Entry> => {
    const server = await Server.start({ ...ours, settings: { otherRoutes } })
    const requests = [get('/menu/main', server.token)]
    return new Entry(server, { requests, status: 200, before: WARM_UP }, measured)
  }
  const seen = `${tokens.toLocaleString('en')} tokens`
  const small = await entryOf(measured('1 token'))
  const wide = await entryOf(measured('5,000 routes', 1), OTHER_ROUTES)
  const old = await entryOf(measured(seen, 1))
  const grown = await mebibytesOf(old, tokens)

  const entries = [small, wide, old]
  await runRounds(entries, effort)
  for (const { server } of entries) await server.stop()
  const costs: Result = {
    scenario: 'growth',
    title: 'GET /menu/main with one token on larger servers; ratio to the smallest server',
    unit: 'µs per request',
    rows: rowsOf(entries.map(({ measured }) => measured))
  }
  const memory: Result = {
    scenario: 'memory',
    title: `Resident memory that the tokens have added; ratio to the allowed ${ALLOWED} MiB`,
    unit: 'MiB',
    rows: rowsOf([
      { label: 'allowed', costs: [ALLOWED] },
      { label: seen, costs: [grown], target: 1 }
    ])
  }
  return [costs, memory]
}

/** Mebibytes of resident memory that one request with each of `tokens` distinct tokens adds. */
async function mebibytesOf(entry: Entry, tokens: number): Promise<number> {
  const { server, measured } = entry
  await entry.send(WARM_UP)
  const before = await server.usage('collect garbage')
  for (let first = 1; first < tokens; first += SLICE) {
    const load: Load = { requests: menusOf(Math.min(SLICE, tokens - first), first), status: 200 }
    await new Entry(server, load, measured).send(load.requests.length)
  }
  const after = await server.usage('collect garbage')
  return (after.memory - before.memory) / MEBIBYTE
}
