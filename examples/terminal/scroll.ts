/** The visible part of a longer text. */
export interface Window {
  /** The first visible line. */
  top: number
  /** The number of visible lines. */
  height: number
}

/** Moves the window as little as possible to make a line visible. */
export function reveal(line: number, { top, height }: Window): number {
  return Math.min(Math.max(top, line - height + 1), line)
}

/** Keeps the window within a text of so many lines. */
export function clamp({ top, height }: Window, count: number): number {
  return Math.max(0, Math.min(top, count - height))
}
