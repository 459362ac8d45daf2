const warned = new Set<string>()

/** Emits a process warning, which reaches an operator without a log, too. Once for each text. */
export function warnOnce(text: string): void {
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(`screen-auth: ${text}`)
}
