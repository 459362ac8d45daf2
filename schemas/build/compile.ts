import type { TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { AuthRequest, AuthResponse, ScreenContract } from '../index.ts'
import { components } from './publish.ts'

const types: Record<string, TSchema> = { AuthRequest, AuthResponse, ScreenContract }

/**
 * The text of `generated/compiled.ts`: what the plugin needs of the TypeBox schemas, as plain objects and functions. To
 * load TypeBox and to compile takes longer than to start the rest of a server.
 */
export function compiled(): string {
  return [
    '// @ts-nocheck: the code of the checks is JavaScript',
    '// Made by `npm run contract` from the TypeBox schemas: loaded, not read, and never changed by hand.',
    "import type * as types from '../index.ts'",
    ...Object.entries(types).map(constant),
    ...Object.keys(types).map(name => `export type ${name} = types.${name}`),
    ...['AuthRequest', 'ScreenContract'].map(check),
    constant(['components', components()]),
    ''
  ].join('\n\n')
}

function constant([name, value]: [string, object]): string {
  return `export const ${name} = ${JSON.stringify(value)}`
}

function check(name: string): string {
  const code = TypeCompiler.Code(types[name] as TSchema)
  return `export const is${name}: (value: unknown) => value is types.${name} = (() => {\n${code}\n})()`
}
