import { parseArgs } from 'node:util'
import { OptionError } from '../report/report.ts'

/** An option of the command line, as `util.parseArgs` takes it, with what the help says about it. */
interface Option {
  type: 'string' | 'boolean'
  multiple?: true
  short?: string
  /** The name of the value in the help, for example `<file>`. */
  value?: string
  /** The environment variable that is read when the option is not given. */
  env?: string
  default?: string
  /** The default in words, where it is no fixed value. */
  otherwise?: string
  help: string
}

type Options = Record<string, Option>

/** The values of options, by their names. */
type Values<T extends Options> = {
  [Name in keyof T]?: T[Name] extends { type: 'boolean' }
    ? boolean
    : T[Name] extends { multiple: true }
      ? string[]
      : string
}

/** The parts of a command that parsing and help need. */
export interface Command<T extends Options = Options> {
  name: string
  /** What follows the name in the first lines of the help. */
  usage: string[]
  description: string
  options: T
  /** How many arguments that are no options it takes. */
  positionals: number
  /** Further paragraphs of the help. */
  notes: string[]
}

/**
 * Reads the arguments of a command. An option that takes a value takes whatever follows it, so that a password may
 * begin with a hyphen.
 *
 * @returns the values of the options and the other arguments
 * @throws OptionError naming the first option that is unknown, lacks its value or has one that it does not take
 */
export function parse<T extends Options>(
  { options, positionals: limit }: Command<T>,
  args: string[],
  env: Record<string, string | undefined>
): { values: Values<T>; positionals: string[] } {
  // Not strict: that would refuse a value with a hyphen, and its messages have several lines.
  const { values, positionals, tokens } = parseArgs({
    args,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) throw new OptionError(`unknown option '${token.rawName}'`)
    if (option.type === 'string' && token.value === undefined)
      throw new OptionError(`option '${token.rawName} ${option.value}' needs a value`)
    if (option.type === 'boolean' && token.value !== undefined)
      throw new OptionError(`option '${token.rawName}' takes no value`)
  }
  if (positionals.length > limit) throw new OptionError(`unexpected argument '${positionals[limit]}'`)
  const fromEnv = Object.entries(options).map(([name, option]) => [name, option.env && env[option.env]])
  const given = Object.fromEntries(fromEnv.filter(([, value]) => value !== undefined))
  return { values: { ...given, ...values } as Values<T>, positionals }
}

/** The help of a command: its usage, and each option with its meaning and its default. */
export function help({ name, usage, description, options, notes }: Command): string {
  const rows = Object.entries(options).map(
    ([long, option]) => [flags(long, option), meaning(option)] as const
  )
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    usage.map((line, index) => `${index === 0 ? 'Usage:' : '      '} ${name} ${line}`).join('\n'),
    description,
    ['Options:', ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)].join('\n'),
    ...notes,
    ''
  ]
    .join('\n\n')
    .trimEnd()
}

function flags(long: string, { short, value }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${long}${value === undefined ? '' : ` ${value}`}`
}

function meaning({ help, multiple, env, default: value, otherwise = value }: Option): string {
  const notes = [
    multiple && 'may be repeated',
    env && `env: ${env}`,
    otherwise !== undefined && `default: ${otherwise}`
  ].filter(Boolean)
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`
}
