import { type Contender, contenders, OURS } from './contenders.ts'
import type { Load } from './load.ts'
import { rowOf } from './measure.ts'
import type { Result } from './report/report.ts'
import { type Effort, type Entry, playRounds } from './rounds.ts'
import { Server } from './server.ts'
import { targets } from './targets.ts'
import { Traffic } from './traffic.ts'

/** The maximum bytes of a login. */
const SIZE = 16_384

const PLAIN = 'plain'

/** Half-way between two floating-point numbers, so that the parser needs all digits to round it. */
const NUMBER = '1.00000000000000011102230246251565404236316680908203125'

/** The slowest of many generated bodies. */
const bodies: [name: string, label: string, body: string][] = [
  [PLAIN, 'a long password', login('ada')],
  ['marks', '8,000 combining marks', login(`a${'\u0344'.repeat(4_040)}${'\u0334'.repeat(4_040)}`)],
  ['spaces', '16,000 spaces', login(`a${' '.repeat(16_000)}`)],
  ['invisible', '5,000 invisible characters', login(`a${'\u200B'.repeat(5_300)}`)],
  ['alternating', 'a space after each letter', login(`\u0661${'a '.repeat(8_000)}`)],
  ['numerals', '8,000 digits of another script', login('\u0661'.repeat(8_000))],
  [
    'numerals-in-spaces',
    '256 digits of another script among spaces',
    login(`${' '.repeat(7_800)}${'\u0669'.repeat(256)}${' '.repeat(7_800)}`)
  ],
  [
    'numerals-and-marks',
    '256 digits of another script, and marks',
    login(`${'\u0669'.repeat(256)}${'\u0344'.repeat(7_800)}`)
  ],
  ['ligatures-only', 'a name of ligatures', login('\uFDFA'.repeat(256))],
  ['ligatures', 'a name of ligatures and marks', login('\uFDFA\u0301\u0301'.repeat(85))],
  ['accents', 'a name of letters with accents', login('\u1F2D'.repeat(256))],
  [
    'mixture',
    'ligatures, fields and ignored characters',
    login(
      '\uFDFA'.repeat(256),
      many(45, i => `"${i}${'\u0378'.repeat(100)}":""`)
    )
  ],
  [
    'fields',
    'as many fields as there may be',
    login(
      'ada',
      many(45, i => `"${'é'.repeat(120)}${i}":""`)
    )
  ],
  ['nesting', 'arrays in arrays', login('ada', '', `,"z":${'['.repeat(140)}${']'.repeat(140)}`)],
  ['numbers', 'numbers with many digits', login('ada', '', `,"z":[${many(140, () => NUMBER)}]`)],
  ['digits', 'one number with 16,000 digits', login('ada', '', `,"z":${'1'.repeat(16_000)}`)],
  ['escapes', 'a field of escapes', login('ada', `"x":"${'\\u00e9'.repeat(2_700)}"`)],
  ['proto', 'almost __proto__', login('ada', '', `,"z":["__proto__"${' '.repeat(16_000)}]`)]
]

/** Measures `POST /auth/login` with bodies of 16 KiB. The baseline is a body with a long password. */
export async function measureBodies({ rounds, ...effort }: Effort): Promise<Result> {
  const contender = contenders.find(({ name }) => name === OURS) as Contender
  const server = await Server.start(contender)
  try {
    const entries: Entry[] = bodies.map(([name, , body]) => ({
      name,
      server,
      load: loadOf(body)
    }))
    const micros = await playRounds(entries, { rounds, ...effort })
    const rows = bodies.map(([name, label]) => {
      const row = rowOf({ name, label, packages: contender.packages }, micros, PLAIN)
      return name === PLAIN ? row : { ...row, target: targets.bodies as number }
    })
    return {
      scenario: 'bodies',
      title: 'POST /auth/login with 16 KiB, against a long password of the same size; nobody hashes',
      unit: 'µs per request',
      rows
    }
  } finally {
    await server.stop()
  }
}

function loadOf(body: string): Load {
  const headers = { 'content-type': 'application/json' }
  return { traffic: new Traffic([{ method: 'POST', path: '/auth/login', headers, body }]), status: 200 }
}

/** A login with a password that pads it to the size. */
function login(username: string, fields = '', rest = ''): string {
  const begin = `{"fields":{"username":${JSON.stringify(username)}${fields && `,${fields}`},"password":"`
  const end = `"}${rest}}`
  return `${begin}${'x'.repeat(Math.max(1, SIZE - Buffer.byteLength(begin + end)))}${end}`
}

function many(count: number, make: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => make(i)).join(',')
}
