import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { LOGIN_FORM, LOGIN_SECTION, MAIN_MENU } from './examples.ts'

/**
 * Allows unknown properties at this level. The contract describes only the part of a screen that the login needs, and a
 * closed response schema would drop all other properties without an error.
 */
function open<T extends TProperties>(schema: TObject<T>) {
  // biome-ignore lint/suspicious/noExplicitAny: with `unknown`, a host's interface would not be assignable
  type Open = Static<TObject<T>> & { [property: string]: any }
  return typed(Type.Unsafe<Open>({ ...schema, additionalProperties: true }))
}

/**
 * A schema whose type the `Static` of @sinclair/typebox and of typebox 1.x can derive. The latter reads `~unsafe`,
 * which exists only in the type. The `Optional` of typebox 1.x accepts no schema with an index signature, and the schemas
 * of @sinclair/typebox have one.
 */
export type Typed<T extends TSchema> = {
  [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K]
} & { '~unsafe': Static<T> }

/** Changes only the type, nothing at run time. */
export function typed<T extends TSchema>(schema: T): Typed<T> {
  return schema as unknown as Typed<T>
}

/** Removes the `$id`, so that another schema can contain this one twice: a repeated `$id` is an error. */
export function inline<T extends TSchema>({ $id, ...schema }: T): T {
  return schema as T
}

/** One input or display field of a {@link Section} (contract 2.5). */
export const Field = open(
  Type.Object(
    {
      id: Type.String({ description: 'Field id; on the login form `username` or `password`' }),
      label: Type.String({ description: 'Display label' }),
      type: Type.String({ description: 'Field type; on the login form `Text` or `Password`' }),
      value: Type.Optional(Type.String({ description: 'Initial value; an empty string on the login form' }))
    },
    {
      $id: 'Field',
      title: 'Field',
      description: 'One field of a form section',
      examples: LOGIN_SECTION.fields
    }
  )
)
/** One input or display field of a {@link Section} (contract 2.5). */
export type Field = Static<typeof Field>

/** A labelled group of {@link Field}s (contract 2.4). */
export const Section = open(
  Type.Object(
    {
      id: Type.String({ description: 'Section id; `login` on the login form' }),
      label: Type.String({ description: 'Display label' }),
      fields: Type.Array(inline(Field), { description: 'The fields, in display order' })
    },
    {
      $id: 'Section',
      title: 'Section',
      description: 'A labelled group of fields',
      examples: [LOGIN_SECTION]
    }
  )
)
/** A labelled group of {@link Field}s (contract 2.4). */
export type Section = Static<typeof Section>

/**
 * A screen that the client draws (contract 2.3). The schema describes only the properties that the login needs, and keeps
 * all others unchanged. Leave out a property that a screen does not use: null is not allowed.
 *
 * @example
 * app.get('/screen/profile', { schema: { response: { 200: ScreenContract } } }, async request => ({
 *   layout: 'Card', title: 'Profile', sections: []
 * }))
 */
export const ScreenContract = open(
  Type.Object(
    {
      layout: Type.String({ description: '`Card` for the login form, `Menu` for the main menu' }),
      title: Type.Optional(Type.String({ description: 'Screen title' })),
      auth_action: Type.Optional(
        Type.String({
          description: 'URL to which the client submits the form as an AuthRequest; present on the login form'
        })
      ),
      sections: Type.Optional(Type.Array(inline(Section), { description: 'The sections of a form' })),
      menu: Type.Optional(
        Type.Unsafe<object>(
          Type.Object({}, { additionalProperties: true, description: 'Content of a `Menu`. The host defines it.' })
        )
      ),
      user_display_name: Type.Optional(
        Type.String({
          description: 'Name of the logged-in user. The client shows it in the top-right corner of every screen.'
        })
      )
    },
    {
      $id: 'ScreenContract',
      title: 'ScreenContract',
      description: 'A screen that the client draws',
      examples: [LOGIN_FORM, MAIN_MENU]
    }
  )
)
/** A screen that the client draws (contract 2.3). */
export type ScreenContract = Static<typeof ScreenContract>
