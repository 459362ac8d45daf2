/** The middle of several values, and how far they spread. */
export interface Spread {
  median: number
  /** A quarter of the values is lower. */
  low: number
  /** A quarter of the values is higher. */
  high: number
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
}

/** One table. */
export interface Result {
  scenario: string
  title: string
  unit: string
  rows: Row[]
}

/** Everything that a run has found, as `--json` writes it. */
export interface Report {
  date: string
  node: string
  cpu: string
  /** Whether servers and load had a core each. */
  pinned: boolean
  rounds: number
  /** Seconds of one measurement. */
  seconds: number
  versions: Record<string, string>
  results: Result[]
}
