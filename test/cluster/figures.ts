/** What is counted in one scenario. */
export interface Figures {
  title: string
  /** Requests with a response. */
  requests: number
  /** Responses that ask the client to try again later, where that is right. */
  postponed: number
  /** Requests that were refused and should have passed. */
  refused: number
  /** Any other response that is not the right one. */
  wrong: number
  /** The first responses that were refused or wrong. */
  faults: string[]
  /** Milliseconds of the slowest request. */
  slowest: number
}

export function noFigures(title: string): Figures {
  return { title, requests: 0, postponed: 0, refused: 0, wrong: 0, faults: [], slowest: 0 }
}

export function isClean({ requests, refused, wrong }: Figures): boolean {
  return requests > 0 && refused === 0 && wrong === 0
}

/** The figures as a table, with the faults below it. */
export function inWords(all: Figures[]): string {
  const width = Math.max(...all.map(({ title }) => title.length))
  const line = (title: string, ...cells: (string | number)[]) =>
    title.padEnd(width) + cells.map(cell => String(cell).padStart(12)).join('')
  return [
    line('', 'requests', 'later (503)', 'refused', 'wrong', 'slowest'),
    ...all.map(({ title, requests, postponed, refused, wrong, slowest }) =>
      line(title, requests, postponed, refused, wrong, `${Math.round(slowest)} ms`)
    ),
    ...all.flatMap(({ faults }) => faults)
  ].join('\n')
}
