/** A window of lines on a longer text. */
export interface Window {
  /** The first line that is seen. */
  top: number
  /** How many are seen. */
  height: number
}

/** Moves the window as little as possible so that a line is in it. */
export function reveal(line: number, { top, height }: Window): number {
  return Math.min(Math.max(top, line - height + 1), line)
}

/** Keeps the window within a text of so many lines. */
export function clamp({ top, height }: Window, count: number): number {
  return Math.max(0, Math.min(top, count - height))
}
