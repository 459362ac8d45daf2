const warned = new Set<string>()

/** Emits each text once as a process warning, which an operator sees even without a log. */
export function warnOnce(text: string): void {
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(`screen-auth: ${text}`)
}
