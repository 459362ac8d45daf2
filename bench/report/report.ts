/** The median and the quartiles of several values. */
export interface Spread {
  median: number
  /** A quarter of the values is lower. */
  low: number
  /** A quarter of the values is higher. */
  high: number
}

/** What one request costs in Redis, besides the heartbeat of the process. */
export interface RedisUse {
  /** Sequential round trips. */
  roundTrips: number
  commands: number
}

/** What sessions in Redis cost besides the CPU time of the menu. */
export interface RedisCost {
  /** The CPU time of a request with a short response, as a multiple of the baseline's. */
  short: Spread
  /** With a token that the process has not seen before. */
  firstUse: RedisUse
  /** With a token that the process has seen before. */
  known: RedisUse
  /** A login with a wrong password. */
  rejected: RedisUse
  /** A login with the right password. */
  login: RedisUse
  /** Commands per request during the latency measurement, on average. */
  commands: number
  /** Median and 99th percentile, in milliseconds. */
  latency: { p50: Spread; p99: Spread }
}

/** One server in one scenario. */
export interface Row {
  /** The name of the contender or of the variant. */
  name: string
  label: string
  /** The packages whose versions are reported. */
  packages: string[]
  /** In the unit of the scenario. */
  cost: Spread
  /** The cost as a multiple of the baseline in the same round. */
  ratio: Spread
  /** The maximum ratio. */
  target?: number
  /** A remark. */
  note?: string
  redis?: RedisCost
}

/** One table. */
export interface Result {
  scenario: string
  title: string
  unit: string
  rows: Row[]
  /** Details of the measurement that are not in the title. */
  remarks?: string[]
  /** The run of this result, if it is not the run of the report. */
  run?: Run
}

/** The environment and the settings of a run. */
export interface Run {
  date: string
  node: string
  cpu: string
  /** Whether the servers and the load generator each had their own core. */
  pinned: boolean
  rounds: number
  /** Seconds of one measurement. */
  seconds: number
  versions: Record<string, string>
}

/** All results of a run, as `--json` writes them. */
export interface Report extends Run {
  results: Result[]
}
