import { hash } from 'node:crypto'
import { InvalidAnswerError } from './errors.ts'

/** Returns what a function of the host returned, if it is a string. `rule` is the message of the error otherwise. */
export function checkText(text: unknown, rule: string): string {
  if (typeof text === 'string') return text
  // If it is a promise, its rejection must not stay unhandled.
  Promise.resolve(text).catch(() => {})
  throw new InvalidAnswerError(rule)
}

/**
 * Rejects NUL, which ends the input of some password hash functions, and lone surrogates, which UTF-8 encodes as the
 * same bytes.
 */
export function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Returns the digest of a text in base64url, 43 characters. */
export const sha256 = (text: string) => hash('sha256', text, 'base64url')
