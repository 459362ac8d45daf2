import type { FastifyRequest } from 'fastify'
import { checkText, InvalidAnswerError } from '../shared/index.ts'

/** Characters of a message that known clients show. */
export const MESSAGE_LENGTH = 42

export const ENGLISH = {
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

/**
 * What a message is about:
 * - `wrong`: `checkCredentials` has returned null
 * - `incomplete`: username or password is empty
 * - `blocked`: too many have failed; for so many `seconds`
 * - `malformed`, `too-large`, `not-json`, `refused`: a 400, 413, 415 and another 4xx
 * - `unavailable`: a 500 or 503
 * - `no-password`, `wrong-password`: only from `reauthenticate`
 */
export type MessageKey = keyof typeof ENGLISH | 'blocked'

/** A message of the login: what it is about, and the text in English. */
export type Message =
  | { key: Exclude<MessageKey, 'blocked'>; text: string; seconds?: undefined }
  | {
      key: 'blocked'
      text: string
      /** Seconds to wait. */
      seconds: number
    }

/**
 * Says a message of the login in the host's words. What is no text, or is empty, is logged, and so is a throw; then the
 * message is sent in English. Known clients cut it after 42 characters.
 *
 * @example
 * message: ({ key, text }, request) => (speaksDanish(request) ? danish[key] : text)
 */
export type SayMessage = (message: Message, request: FastifyRequest) => string

/** Returns the message that is sent: what the host says, or else the English text. It never throws. */
export type Say = (key: MessageKey, request: FastifyRequest, seconds?: number) => string

/** @param say the host's words. Default: English */
export function messages(say: SayMessage | undefined): Say {
  return (key, request, seconds) => {
    const message = inEnglish(key, seconds)
    const { text } = message
    if (say === undefined) return text
    try {
      return checkText(say(message, request) || null, 'message must return a text, and no promise')
    } catch (cause) {
      // Wrapped, because what a host throws can be anything, even something that cannot be logged.
      const err = new InvalidAnswerError(`message failed for "${key}", which is sent in English`, { cause })
      request.log.error({ err }, err.message)
      return text
    }
  }
}

function inEnglish(key: MessageKey, seconds = 0): Message {
  if (key !== 'blocked') return { key, text: ENGLISH[key] }
  // Without a full stop, to stay within MESSAGE_LENGTH.
  return { key, text: `Too many attempts. Try again in ${inWords(seconds)}`, seconds }
}

/** Returns at most two digits of seconds or minutes, or else hours. */
function inWords(seconds: number): string {
  const [unit, size] = seconds < 100 ? ['second', 1] : seconds <= 5940 ? ['minute', 60] : ['hour', 3600]
  return new Intl.NumberFormat('en', { style: 'unit', unitDisplay: 'long', unit }).format(Math.ceil(seconds / size))
}
