import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { isScreenContract } from '../../schemas/generated/compiled.ts'
import { AuthRequest, AuthResponse, Field, ScreenContract, Section } from '../../schemas/index.ts'
import { emptyHost } from '../helpers.ts'

const schemas: Record<string, TSchema> = { AuthRequest, AuthResponse, Field, ScreenContract, Section }

t.test('each schema has its name as $id and title, and every property a description', async t => {
  for (const [name, schema] of Object.entries(schemas)) {
    t.match(schema, { $id: name, title: name, description: /\w/ })
    for (const [property, { description }] of Object.entries<TSchema>(schema.properties))
      t.match(description, /\w/, `${name}.${property}`)
  }
})

t.test('the schemas can be parts of a larger one, together', async t => {
  const parts: TSchema[] = [
    Type.Object({ screen: ScreenContract, field: Field, section: Section }),
    Type.Object({ first: AuthRequest, second: AuthResponse, screen: ScreenContract })
  ]
  for (const body of parts) {
    const app = emptyHost(t)
    app.post('/', { schema: { body, response: { 200: body } } }, async () => ({}))
    await t.resolves(async () => app.ready())
  }
})

/** Values that are neither a string nor an object. */
const WRONG = [null, 1, true, []]

const right = (value: unknown): [boolean, unknown] => [true, value]
const wrong = (value: unknown): [boolean, unknown] => [false, value]

t.test('the compiled check of a ScreenContract, which the plugin loads, says what TypeBox says', async t => {
  const field = { id: 'f', label: 'F', type: 'Text', value: '' }
  const section = { id: 's', label: 'S', fields: [field] }
  const screen = {
    layout: 'Card',
    title: 'Title',
    auth_action: '/auth/login',
    sections: [section],
    menu: {},
    user_display_name: 'Ada'
  }
  const withSection = (changed: unknown) => ({ ...screen, sections: [section, changed] })
  const withField = (changed: unknown) => withSection({ ...section, fields: [field, changed] })
  const { value: _, ...withoutValue } = field
  const cases = [
    right(screen),
    right({ layout: 'Menu' }),
    right({ ...screen, more: 1, title: undefined }),
    right(withField({ ...withoutValue, more: 1 })),
    right(withSection({ ...section, more: 1 })),
    wrong(undefined),
    wrong('screen'),
    wrong({}),
    ...WRONG.flatMap(other => [
      wrong(other),
      wrong(withSection(other)),
      wrong(withField(other)),
      ...Object.keys(withoutValue).map(key => wrong(withField({ ...field, [key]: other })))
    ]),
    wrong(withField({ ...field, value: 1 })),
    right(withField({ ...field, value: null })),
    ...Object.keys(screen).flatMap(key => [
      wrong({ ...screen, [key]: 1 }),
      (key === 'layout' ? wrong : right)({ ...screen, [key]: null })
    ]),
    ...Object.keys(section).map(key => wrong(withSection({ ...section, [key]: 1 })))
  ]
  for (const [isRight, value] of cases) {
    t.equal(isScreenContract(value), isRight, JSON.stringify(value))
    t.equal(Value.Check(ScreenContract, value), isRight, JSON.stringify(value))
  }
})
