/** The CPU time of a request, or of the start, as a multiple of the baseline's, by the name of the scenario. */
export const targets: Record<string, number> = {
  warm: 1.15,
  users: 1.15,
  screen: 1.15,
  cold: 2.5,
  '401-none': 1,
  '401-garbage': 1,
  // @fastify/jwt makes an error of it.
  '401-signature': 4,
  '401-expired': 4,
  form: 1.2,
  // The hash of a password costs a hundred times as much.
  login: 6,
  // Compared with a plain login of the same size.
  bodies: 3,
  growth: 1,
  // The target is START_MILLISECONDS more than the baseline. They depend on the machine, so `--check` uses the ratio.
  start: 1.3
}

/** Milliseconds of CPU time that the start may take longer than the baseline. */
export const START_MILLISECONDS = 60

/** Mebibytes that resident memory may grow by in a million distinct tokens. */
export const MEMORY_MEBIBYTES = 32

/** `--check` fails when a value is more than this multiple of its target, so that noise is no failure. */
export const TOLERANCE = 2
