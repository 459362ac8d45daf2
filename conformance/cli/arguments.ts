import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { OptionError } from '../report/report.ts'
import { type Command, type NamedOption, optionsOf } from './commands.ts'

/**
 * Splits the arguments of a command. The value of an option may begin with a hyphen, because a password may. But an
 * option is not the value of the option before it, because some shells drop an empty value.
 */
export function split<Values>(command: Command<Values>, args: string[]) {
  const options = optionsOf(command)
  const needsValue = (arg: string) => options.some(({ flag, value }) => value !== undefined && arg === `--${flag}`)
  const isOption = (arg = '') => options.some(({ names }) => names.includes(arg.split('=')[0] as string))
  // Not strict: the strict mode rejects a value that begins with a hyphen, and its messages have several lines.
  return parseArgs({
    args: args.map((arg, index) => (needsValue(arg) && isOption(args[index + 1]) ? `${arg}=` : arg)),
    options: Object.fromEntries(
      options.map(({ flag, value, multiple, short }) => [
        flag,
        { type: value === undefined ? 'boolean' : 'string', ...(multiple && { multiple }), ...(short && { short }) }
      ])
    ),
    strict: false,
    allowPositionals: true,
    tokens: true
  })
}

type Given = ReturnType<typeof split>

/** Throws an OptionError that names the first argument that is unknown, lacks its value or has an unexpected value. */
export function validate<Values>(command: Command<Values>, { tokens, positionals }: Given): void {
  const options = optionsOf(command)
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'option') continue
    const { rawName, value } = token
    const option = options.find(({ flag }) => flag === token.name)
    if (option === undefined) throw new OptionError(`unknown option '${rawName}'`)
    if (option.value === undefined && value !== undefined) throw new OptionError(`option '${rawName}' takes no value`)
    if (option.value === undefined || value) continue
    const next = tokens[index + 1]
    const hint = next?.kind === 'option' ? `; if the value is '${next.rawName}', write ${rawName}=${next.rawName}` : ''
    throw new OptionError(`the value of ${rawName} is missing or empty${hint}`)
  }
  if (positionals.length > command.positionals)
    throw new OptionError(`unexpected argument '${positionals[command.positionals]}'`)
}

/** @throws OptionError that names the first file that cannot be read, or the first empty variable */
export async function valuesOf<Values>(
  command: Command<Values>,
  given: Given['values'],
  env: Record<string, string | undefined>
): Promise<Values> {
  const values: Record<string, unknown> = {}
  for (const option of optionsOf(command)) {
    const value = given[option.flag] ?? env[option.env ?? '']
    if (value === '') throw new OptionError(`the variable ${option.env} is empty: give it a value, or remove it`)
    if (value !== undefined) values[option.name] = await converted(value, option)
  }
  return values as Values
}

async function converted(given: unknown, { flag, value, read }: NamedOption): Promise<unknown> {
  if (value === '<seconds>' || value === '<port>') return Number(given)
  if (read === undefined) return given
  const bytes = await readFile(String(given)).catch(({ message }) => {
    throw new OptionError(`the file of --${flag} cannot be read: ${message}`)
  })
  // Without a byte order mark, one of the first two bytes is zero, because the text begins with an ASCII character.
  if (/^(\xff\xfe|\xfe\xff|\0[^\0]|[^\0]\0)/.test(bytes.toString('latin1', 0, 2)))
    throw new OptionError(
      `the file of --${flag} is in UTF-16, as > of PowerShell writes it: save it as UTF-8, for example with | Out-File -Encoding utf8`
    )
  return read(new TextDecoder().decode(bytes))
}
