/** What the benchmark uses of autocannon, which is installed in this folder only when the benchmark runs. */
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
    /** Requests in all. */
    amount: number
    /** Milliseconds between two looks at whether it is done. */
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
