/** The middle of several values, and how far they spread. */
export interface Spread {
  median: number
  /** A quarter of the values is lower. */
  low: number
  /** A quarter of the values is higher. */
  high: number
}

/** What a server asks Redis for one request. */
export interface Asked {
  /** One after another. */
  roundTrips: number
  commands: number
}

/** What sessions in Redis cost besides CPU time. */
export interface RedisCost {
  /** With a token that the process has not seen before. */
  firstUse: Asked
  /** With a token that it has just seen. */
  known: Asked
  /** Commands per request under the load of the latency, on average. */
  commands: number
  /** Milliseconds of half of the requests, and of all but one in a hundred. */
  latency: { p50: Spread; p99: Spread }
}

/** One server in one scenario. */
export interface Row {
  /** The contender, or what was varied. */
  name: string
  label: string
  /** Those whose versions matter. */
  packages: string[]
  /** In the unit of the scenario. */
  cost: Spread
  /** The cost as a multiple of the baseline's in the same round. */
  ratio: Spread
  /** The ratio must not be higher. */
  target?: number
  /** What the numbers do not say. */
  note?: string
  redis?: RedisCost
}

/** One table. */
export interface Result {
  scenario: string
  title: string
  unit: string
  rows: Row[]
  /** How it was measured, as far as the title does not say it. */
  remarks?: string[]
  /** What it was measured with, where that is something else than the report says. */
  run?: Run
}

/** What a run measures with. */
export interface Run {
  date: string
  node: string
  cpu: string
  /** Whether servers and load had a core each. */
  pinned: boolean
  rounds: number
  /** Seconds of one measurement. */
  seconds: number
  versions: Record<string, string>
}

/** Everything that a run has found, as `--json` writes it. */
export interface Report extends Run {
  results: Result[]
}
