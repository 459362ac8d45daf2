/** Types of autocannon that the benchmark uses. The benchmark installs the package into this folder. */
declare module 'autocannon' {
  export interface Request {
    method: 'GET' | 'POST'
    path: string
    headers?: Record<string, string>
    body?: string
  }

  export interface Options {
    url: string
    connections: number
    /** Total number of requests. */
    amount: number
    /** Milliseconds between two checks for the end of the run. */
    sampleInt: number
    setupClient(client: { setRequests(requests: Request[]): void }): void
  }

  export interface Result {
    errors: number
    timeouts: number
    statusCodeStats: Record<string, { count: number }>
  }

  export default function autocannon(options: Options): Promise<Result>
}
