/** What fastify-screen-auth must keep to. */
interface Target {
  /** CPU time of a request, or of the start, as a multiple of the baseline's. */
  ratio: number
}

/** By the name of the scenario, or of the row in the scenario. */
export const targets: Record<string, Target> = {
  warm: { ratio: 1.15 },
  users: { ratio: 1.15 },
  cold: { ratio: 2.3 },
  '401-none': { ratio: 1 },
  '401-garbage': { ratio: 1 },
  '401-signature': { ratio: 2 },
  '401-expired': { ratio: 2 },
  form: { ratio: 1.05 },
  // It is dwarfed by the hash of a password.
  login: { ratio: 3 },
  // Of a plain login of the same size.
  bodies: { ratio: 3 },
  growth: { ratio: 1 },
  // The aim is 60 ms more than the baseline. Milliseconds depend on the machine, so `--check` looks at the ratio.
  start: { ratio: 1.3 }
}

/** Milliseconds of CPU time that the start may take longer than the baseline's. */
export const START_MILLISECONDS = 60

/** Mebibytes that resident memory may grow by in a million distinct tokens. */
export const MEMORY_MEBIBYTES = 32

/** `--check` fails when a value is more than so many times its target: it looks for mistakes, not for noise. */
export const TOLERANCE = 2
