import { type Effort, Entry, runRounds } from './load.ts'
import { type Result, rowsOf } from './report.ts'
import { login } from './requests.ts'
import { ours } from './scenarios.ts'
import { Server } from './server.ts'

/** Maximum bytes of a login. */
const SIZE = 16_384
/** Maximum ratio to the cost of a plain login of the same size. */
const TARGET = 3
/** A number halfway between two floating-point numbers: the parser needs all its digits to round it. */
const NUMBER = '1.00000000000000011102230246251565404236316680908203125'

/** The first body is the baseline. The others were the slowest of many generated bodies. */
const bodies: Record<string, string> = {
  'a long password': padded('ada'),
  '8,000 combining marks': padded(`a${'\u0344'.repeat(4_040)}${'\u0334'.repeat(4_040)}`),
  '16,000 spaces': padded(`a${' '.repeat(16_000)}`),
  '5,000 invisible characters': padded(`a${'\u200B'.repeat(5_300)}`),
  'a space after each letter': padded(`\u0661${'a '.repeat(8_000)}`),
  '8,000 digits of another script': padded('\u0661'.repeat(8_000)),
  '256 digits of another script among spaces': padded(
    `${' '.repeat(7_800)}${'\u0669'.repeat(256)}${' '.repeat(7_800)}`
  ),
  '256 digits of another script, and marks': padded(`${'\u0669'.repeat(256)}${'\u0344'.repeat(7_800)}`),
  'a name of ligatures': padded('\uFDFA'.repeat(256)),
  'a name of ligatures and marks': padded('\uFDFA\u0301\u0301'.repeat(85)),
  'a name of letters with accents': padded('\u1F2D'.repeat(256)),
  'ligatures, fields and ignored characters': padded('\uFDFA'.repeat(256), fields('\u0378'.repeat(100))),
  'the maximum number of fields': padded('ada', fields('é'.repeat(120))),
  'arrays in arrays': padded('ada', '', `,"z":${'['.repeat(140)}${']'.repeat(140)}`),
  'numbers with many digits': padded('ada', '', `,"z":[${Array(140).fill(NUMBER)}]`),
  'one number with 16,000 digits': padded('ada', '', `,"z":${'1'.repeat(16_000)}`),
  'a field of escapes': padded('ada', `"x":"${'\\u00e9'.repeat(2_700)}"`),
  'almost __proto__': padded('ada', '', `,"z":["__proto__"${' '.repeat(16_000)}]`)
}

/** Measures `POST /auth/login` with bodies of 16 KiB. The baseline is a body with a long password. */
export async function measureBodies(effort: Effort): Promise<Result> {
  const server = await Server.start(ours)
  const entries = Object.entries(bodies).map(([label, body], i) => {
    const measured = { label, costs: [], target: i === 0 ? undefined : TARGET }
    return new Entry(server, { requests: [login(body)], status: 200 }, measured)
  })
  await runRounds(entries, effort)
  await server.stop()
  return {
    scenario: 'bodies',
    title: 'POST /auth/login with 16 KiB, compared with a long password of the same size; no password is hashed',
    unit: 'µs per request',
    rows: rowsOf(entries.map(({ measured }) => measured))
  }
}

/** A login whose password pads the body to SIZE bytes. */
function padded(username: string, fields = '', rest = ''): string {
  const begin = `{"fields":{"username":${JSON.stringify(username)}${fields && `,${fields}`},"password":"`
  const end = `"}${rest}}`
  return `${begin}${'x'.repeat(Math.max(1, SIZE - Buffer.byteLength(begin + end)))}${end}`
}

/** About the maximum number of fields that the login accepts, with long names. */
function fields(name: string): string {
  return Array.from({ length: 45 }, (_, i) => `"${name}${i}":""`).join(',')
}
