import type { FastifyRequest } from 'fastify'
import { InvalidAnswerError } from '../base/errors.ts'
import { checkText } from '../base/texts.ts'
import { logOnce } from '../base/warnings.ts'
import type { Message, MessageKey, SayMessage } from '../options.ts'

/** Maximum length of a message that known clients show in full, in characters. */
const MESSAGE_LENGTH = 42

export const ENGLISH: Record<Exclude<MessageKey, 'blocked'>, string> = {
  wrong: 'Wrong username or password.',
  incomplete: 'Please enter username and password.',
  malformed: 'The login request is malformed.',
  'too-large': 'The login request is too large.',
  'not-json': 'The login request must be JSON.',
  refused: 'The login request was refused.',
  unavailable: 'Login is unavailable. Try again later.',
  'no-password': 'Please enter your password.',
  'wrong-password': 'The password is wrong.'
}

/** Returns the text of a message: the host's, or else the English one. Never throws. */
export type TextOf = (key: MessageKey, request: FastifyRequest, seconds?: number) => string

export function createTextOf(sayMessage: SayMessage | undefined): TextOf {
  return (key, request, seconds) => {
    const message = englishMessage(key, seconds)
    const english = message.text
    if (sayMessage === undefined) return english
    try {
      const rule = 'message must return a non-empty string, not a promise'
      const text = checkText(sayMessage(message, request) || null, rule)
      warnIfLong(text, 'message', sayMessage, request)
      return text
    } catch (cause) {
      // Wrapped, because a host can throw any value, even one that cannot be logged.
      const err = new InvalidAnswerError(`message failed for "${key}"; the English text is sent instead`, { cause })
      request.log.error({ err }, err.message)
      return english
    }
  }
}

/** Warns once of a text of the host's function that known clients truncate. */
export function warnIfLong(text: string, name: string, source: object, request: FastifyRequest): void {
  const warning = `${name} returned a text of over ${MESSAGE_LENGTH} characters; known clients truncate it there`
  if ([...text].length > MESSAGE_LENGTH) logOnce(source, request, warning)
}

function englishMessage(key: MessageKey, seconds = 0): Message {
  if (key !== 'blocked') return { key, text: ENGLISH[key] }
  // No full stop, to stay within MESSAGE_LENGTH.
  return { key, text: `Too many attempts. Try again in ${inWords(seconds)}`, seconds }
}

/** Returns the time in seconds or minutes if it has at most two digits, or else in hours. */
function inWords(seconds: number): string {
  const [unit, size] = seconds < 100 ? ['second', 1] : seconds <= 5940 ? ['minute', 60] : ['hour', 3600]
  return new Intl.NumberFormat('en', { style: 'unit', unitDisplay: 'long', unit }).format(Math.ceil(seconds / size))
}
