// The prompts of @clack/prompts, with texts that are safe to draw.
import * as clack from '@clack/prompts'

/** Ctrl-C or Escape. */
export class Cancelled extends Error {}

export interface Choice<T> {
  label: string
  hint?: string
  value: T
}

const BREAKS = /\r\n|[\t-\r\u0085\u2028\u2029]/g
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

/**
 * A text that is safe to draw: on one line, and without control characters. Else an escape sequence in a title could move
 * the cursor, rename the window or fill the clipboard, and a bidi override make a text look like another one.
 */
export const printable = (text: string) => text.replace(BREAKS, ' ').replace(CONTROLS, '').toWellFormed()

export const heading = (text: string) => clack.intro(printable(text))
export const say = (text: string) => clack.log.message(printable(text))
export const sayError = (text: string) => clack.log.error(printable(text))

/**
 * Lets the person choose, and returns the value of what was chosen.
 *
 * @param current where the cursor is at first; at the first choice if it is none of them
 * @throws Cancelled
 */
export async function choose<T>(text: string, choices: Choice<T>[], current?: T): Promise<T> {
  const options = choices.map(({ label, hint }, value) => ({
    label: printable(label) || '…',
    ...(hint && { hint: printable(hint) }),
    value
  }))
  const initialValue = Math.max(
    0,
    choices.findIndex(({ value }) => value === current)
  )
  const chosen = given(await clack.select({ message: printable(text), options, initialValue, maxItems: 15 }))
  return (choices[chosen] as Choice<T>).value
}

/**
 * Asks for a text.
 *
 * @throws Cancelled
 */
export async function ask(label: string, type: string, value: string): Promise<string> {
  const message = printable(label)
  if (type === 'Password') return given(await clack.password({ message })) ?? ''
  const initialValue = value.split(/\r\n|\r|\n/).map(printable)
  if (type !== 'TextArea') return given(await clack.text({ message, initialValue: initialValue.join(' ') })) ?? ''
  return given(await clack.multiline({ message, initialValue: initialValue.join('\n') })) ?? ''
}

/** Asks for yes or no; to cancel is no. */
export async function confirm(text: string, yes: string, no: string): Promise<boolean> {
  const options = { message: printable(text), active: printable(yes), inactive: printable(no) }
  return (await clack.confirm({ ...options, initialValue: false })) === true
}

function given<T>(value: T | typeof clack.CANCEL_SYMBOL): T {
  if (clack.isCancel(value)) throw new Cancelled()
  return value as T
}
