/** The median and the quartiles of several values. */
export interface Spread {
  median: number
  /** A quarter of the values is lower. */
  low: number
  /** A quarter of the values is higher. */
  high: number
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
}

/** One table. */
export interface Result {
  scenario: string
  title: string
  unit: string
  rows: Row[]
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

/** All results of a run. */
export interface Report extends Run {
  results: Result[]
}
