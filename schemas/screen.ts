import {
  type SchemaOptions,
  type Static,
  type TKind,
  type TObject,
  type TProperties,
  type TSchema,
  Type
} from '@sinclair/typebox'

type OptionName = '$schema' | '$id' | 'title' | 'description' | 'default' | 'examples' | 'readOnly' | 'writeOnly'

/**
 * A TypeBox schema of the contract, with `T` as its static type. The `Static` of typebox 1.x reads `~unsafe`, which
 * exists only in the type. It has no index signature, because the `Optional` of typebox 1.x accepts no schema with one.
 */
export interface ContractSchema<T> extends TKind, Pick<SchemaOptions, OptionName> {
  params: unknown[]
  static: T
  '~unsafe': T
}

/**
 * A type of the contract. It allows unknown properties: a closed response schema would drop them without an error.
 *
 * @param name its `$id` and `title`
 */
export function contractType<T extends TProperties>(name: string, description: string, properties: T) {
  const options = { $id: name, title: name, description, additionalProperties: true }
  return Type.Object(properties, options) as unknown as ContractSchema<Static<TObject<T>>>
}

/** A part of a screen, whose static type allows unknown properties: the contract describes only what the login needs. */
function screenType<T extends TProperties>(name: string, description: string, properties: T) {
  // biome-ignore lint/suspicious/noExplicitAny: with `unknown`, a host's interface would not be assignable
  type Extensible = Static<TObject<T>> & { [property: string]: any }
  return contractType(name, description, properties) as ContractSchema<Extensible>
}

/** A property that a screen may leave out. Some servers send null for it instead. */
function optional<T extends TSchema>(schema: T, description: string) {
  return Type.Optional(Type.Union([schema, Type.Null()], { description }))
}

/** Removes the `$id`, so that another schema can contain this one twice: a repeated `$id` is an error. */
export function inline<T extends TSchema>({ $id, ...schema }: T): T {
  return schema as T
}

/** One input or display field of a {@link Section} (contract 2.5). */
export const Field = screenType('Field', 'One field of a form section', {
  id: Type.String({ description: 'Field id; on the login form `username` or `password`' }),
  label: Type.String({ description: 'Display label' }),
  type: Type.String({ description: 'Field type; on the login form `Text` or `Password`' }),
  value: optional(Type.String(), 'Initial value; an empty string on the login form')
})
/** One input or display field of a {@link Section} (contract 2.5). */
export type Field = Static<typeof Field>

/** A labelled group of {@link Field}s (contract 2.4). */
export const Section = screenType('Section', 'A labelled group of fields', {
  id: Type.String({ description: 'Section id; `login` on the login form' }),
  label: Type.String({ description: 'Display label' }),
  fields: Type.Array(inline(Field), { description: 'The fields, in display order' })
})
/** A labelled group of {@link Field}s (contract 2.4). */
export type Section = Static<typeof Section>

/**
 * A screen that the client draws (contract 2.3). The schema describes only the properties that the login needs, and keeps
 * all others unchanged. A property that a screen does not use is left out or null.
 *
 * @example
 * app.get('/screen/profile', { schema: { response: { 200: ScreenContract } } }, async request => ({
 *   layout: 'Card', title: 'Profile', sections: []
 * }))
 */
export const ScreenContract = screenType('ScreenContract', 'A screen that the client draws', {
  layout: Type.String({ description: '`Card` for the login form, `Menu` for the main menu' }),
  title: optional(Type.String(), 'Screen title'),
  auth_action: optional(
    Type.String(),
    'URL to which the client submits the form as an AuthRequest; present on the login form'
  ),
  sections: optional(Type.Array(inline(Section)), 'The sections of a form'),
  menu: optional(
    Type.Unsafe<object>(Type.Object({}, { additionalProperties: true })),
    'Content of a `Menu`. The host defines it.'
  ),
  user_display_name: optional(
    Type.String(),
    'Name of the logged-in user. The client shows it in the top-right corner of every screen.'
  )
})
/** A screen that the client draws (contract 2.3). */
export type ScreenContract = Static<typeof ScreenContract>
