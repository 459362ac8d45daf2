// Warnings for developers and operators, each once: in the log, or else as process warnings.
import type { FastifyRequest } from 'fastify'

const warned = new Set<string>()

/** Emits each text once as a process warning, which an operator sees even without a log. */
export function warnOnce(text: string): void {
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(`screen-auth: ${text}`)
}

/** The texts that were logged, by subject. */
const logged = new WeakMap<object, Set<string>>()

/** Logs a warning once for its subject, for example a route. The text must not contain what a client has sent. */
export function logOnce(
  subject: object,
  { log }: Pick<FastifyRequest, 'log'>,
  text: string,
  facts: object = {},
  level: 'info' | 'warn' = 'warn'
): void {
  const texts = logged.get(subject) ?? new Set()
  if (texts.has(text)) return
  logged.set(subject, texts.add(text))
  if (level === 'warn' && isUnwritten(log, level)) warnOnce(text)
  else log[level](facts, `screen-auth: ${text}`)
}

/** A logger has the same no-op function for all levels that it does not write. */
export function isUnwritten(log: FastifyRequest['log'], level: 'warn' | 'error'): boolean {
  return log[level] === log.trace
}
