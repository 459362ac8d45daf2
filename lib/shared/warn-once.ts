const said = new Set<string>()

/** Warns the operator where there may be no log, once in a process. */
export function warnOnce(text: string): void {
  if (said.has(text)) return
  said.add(text)
  process.emitWarning(`screen-auth: ${text}`)
}
