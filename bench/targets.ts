import { SESSIONS } from './contenders.ts'

/** A limit for fastify-screen-auth. */
interface Target {
  /** CPU time of a request, or of the start, as a multiple of the baseline's. */
  ratio: number
  /** The name of the row that it is for, if it is not that of the JWTs. */
  row?: string
}

/** By the name of the scenario, or of the row in the scenario. */
export const targets: Record<string, Target> = {
  warm: { ratio: 1.15 },
  users: { ratio: 1.15 },
  cold: { ratio: 2.5 },
  '401-none': { ratio: 1 },
  '401-garbage': { ratio: 1 },
  // @fastify/jwt makes an error of it.
  '401-signature': { ratio: 4 },
  '401-expired': { ratio: 4 },
  form: { ratio: 1.2 },
  // The hash of a password costs a hundred times as much.
  login: { ratio: 6 },
  // Compared with a plain login of the same size.
  bodies: { ratio: 3 },
  // A session that the process has seen.
  redis: { ratio: 1.2, row: SESSIONS },
  growth: { ratio: 1 },
  // The target is START_MILLISECONDS more than the baseline. They depend on the machine, so `--check` uses the ratio.
  start: { ratio: 1.3 }
}

/** The round trips of sessions and failed logins in Redis. They do not depend on the machine, so one more is a failure. */
export const ROUND_TRIPS = { firstUse: 1, known: 0, rejected: 3, login: 5 }

/** Milliseconds of CPU time that the start may take longer than the baseline. */
export const START_MILLISECONDS = 60

/** Mebibytes that resident memory may grow by in a million distinct tokens. */
export const MEMORY_MEBIBYTES = 32

/** `--check` fails when a value is more than this multiple of its target, so that noise is no failure. */
export const TOLERANCE = 2
