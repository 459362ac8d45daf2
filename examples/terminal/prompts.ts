// The prompts of @clack/prompts, with texts that are safe to print.
import * as clack from '@clack/prompts'

/** The person pressed Ctrl-C or Escape. */
export class Cancelled extends Error {}

export interface Choice<T> {
  label: string
  hint?: string
  value: T
}

const BREAKS = /\r\n|[\t-\r\u0085\u2028\u2029]/g
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

/**
 * Makes a text safe to print: on one line and without control characters. Otherwise, an escape sequence in a title could
 * move the cursor, rename the window or write to the clipboard. A bidi override could disguise a text as another one.
 */
export const printable = (text: string) => text.replace(BREAKS, ' ').replace(CONTROLS, '').toWellFormed()

export const heading = (text: string) => clack.intro(printable(text))
export const print = (text: string) => clack.log.message(printable(text))
export const printError = (text: string) => clack.log.error(printable(text))

/**
 * Lets the person select a choice, and resolves to its value.
 *
 * @param current the value of the choice that is selected initially; by default the first choice
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
  const chosen = unlessCancelled(await clack.select({ message: printable(text), options, initialValue, maxItems: 15 }))
  return (choices[chosen] as Choice<T>).value
}

/**
 * Prompts for a text.
 *
 * @throws Cancelled
 */
export async function ask(label: string, type: string, value: string): Promise<string> {
  const message = printable(label)
  if (type === 'Password') return unlessCancelled(await clack.password({ message })) ?? ''
  const initialValue = value.split(/\r\n|\r|\n/).map(printable)
  if (type !== 'TextArea')
    return unlessCancelled(await clack.text({ message, initialValue: initialValue.join(' ') })) ?? ''
  return unlessCancelled(await clack.multiline({ message, initialValue: initialValue.join('\n') })) ?? ''
}

/** Asks a question with two answers. Resolves to false if the person cancels. */
export async function confirm(text: string, yes: string, no: string): Promise<boolean> {
  const options = { message: printable(text), active: printable(yes), inactive: printable(no) }
  return (await clack.confirm({ ...options, initialValue: false })) === true
}

function unlessCancelled<T>(value: T | typeof clack.CANCEL_SYMBOL): T {
  if (clack.isCancel(value)) throw new Cancelled()
  return value as T
}
