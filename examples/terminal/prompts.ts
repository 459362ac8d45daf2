// The prompts of @clack/prompts, with texts that are safe to draw.
import * as clack from '@clack/prompts'
import { printable } from './printable.ts'

/** Ctrl-C or Escape. */
export class Cancelled extends Error {}

export interface Choice {
  label: string
  hint?: string
  act: () => unknown
}

export const heading = (text: string) => clack.intro(printable(text))
export const say = (text: string) => clack.log.message(printable(text))
export const sayError = (text: string) => clack.log.error(printable(text))

/**
 * Lets the person choose, and returns what was chosen.
 *
 * @throws Cancelled
 */
export async function choose(message: string, choices: Choice[], initialValue = 0): Promise<Choice> {
  const options = choices.map((choice, value) => ({ ...printed(choice), value }))
  const chosen = given(
    await clack.select({ message: printable(message), options, initialValue, maxItems: 15 })
  )
  return choices[chosen] as Choice
}

function printed({ label, hint }: Choice): { label: string; hint?: string } {
  return { label: printable(label) || '…', ...(hint && { hint: printable(hint) }) }
}

/**
 * Asks for a text.
 *
 * @throws Cancelled
 */
export async function ask(label: string, type: string, initialValue: string): Promise<string> {
  const message = printable(label)
  if (type === 'Password') return given(await clack.password({ message })) ?? ''
  if (type === 'TextArea')
    return given(await clack.multiline({ message, initialValue: lines(initialValue) })) ?? ''
  return given(await clack.text({ message, initialValue: printable(initialValue) })) ?? ''
}

const lines = (text: string) =>
  text
    .split(/\r\n|\r|\n/)
    .map(printable)
    .join('\n')

/** Asks for yes or no; to cancel is no. */
export async function confirm(text: string, yes: string, no: string): Promise<boolean> {
  const options = { message: printable(text), active: printable(yes), inactive: printable(no) }
  return (await clack.confirm({ ...options, initialValue: false })) === true
}

function given<T>(value: T | typeof clack.CANCEL_SYMBOL): T {
  if (clack.isCancel(value)) throw new Cancelled()
  return value as T
}
