import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'

/** The properties of a type that have names, without its index signatures. */
type Named<T> = { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] }

/**
 * A TypeBox schema of the contract, with `T` as its static type. The `Static` of typebox 1.x reads `~unsafe`, which
 * exists only in the type. The `Optional` of typebox 1.x accepts no schema with an index signature, and the schemas of
 * @sinclair/typebox have one.
 */
export interface ContractSchema<T> extends Named<TUnsafe<T>> {
  '~unsafe': T
}

/** Changes only the type, nothing at run time. */
export function typed<T extends TSchema>(schema: T): ContractSchema<Static<T>> {
  return schema as unknown as ContractSchema<Static<T>>
}

/**
 * Allows unknown properties at this level. The contract describes only the part of a screen that the login needs, and a
 * closed response schema would drop all other properties without an error.
 */
function extensible<T extends TProperties>(schema: TObject<T>) {
  // biome-ignore lint/suspicious/noExplicitAny: with `unknown`, a host's interface would not be assignable
  type Extensible = Static<TObject<T>> & { [property: string]: any }
  return typed(Type.Unsafe<Extensible>({ ...schema, additionalProperties: true }))
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
export const Field = extensible(
  Type.Object(
    {
      id: Type.String({ description: 'Field id; on the login form `username` or `password`' }),
      label: Type.String({ description: 'Display label' }),
      type: Type.String({ description: 'Field type; on the login form `Text` or `Password`' }),
      value: optional(Type.String(), 'Initial value; an empty string on the login form')
    },
    {
      $id: 'Field',
      title: 'Field',
      description: 'One field of a form section'
    }
  )
)
/** One input or display field of a {@link Section} (contract 2.5). */
export type Field = Static<typeof Field>

/** A labelled group of {@link Field}s (contract 2.4). */
export const Section = extensible(
  Type.Object(
    {
      id: Type.String({ description: 'Section id; `login` on the login form' }),
      label: Type.String({ description: 'Display label' }),
      fields: Type.Array(inline(Field), { description: 'The fields, in display order' })
    },
    {
      $id: 'Section',
      title: 'Section',
      description: 'A labelled group of fields'
    }
  )
)
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
export const ScreenContract = extensible(
  Type.Object(
    {
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
    },
    {
      $id: 'ScreenContract',
      title: 'ScreenContract',
      description: 'A screen that the client draws'
    }
  )
)
/** A screen that the client draws (contract 2.3). */
export type ScreenContract = Static<typeof ScreenContract>
