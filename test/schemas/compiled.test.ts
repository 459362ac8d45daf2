// The compiled checks that the plugin loads instead of TypeBox.
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { isScreenContract } from '../../schemas/generated/compiled.ts'
import * as typebox from '../../schemas/index.ts'

/** Values that are neither a string nor an object. */
const WRONG = [null, 1, true, []]

const right = (value: unknown): [boolean, unknown] => [true, value]
const wrong = (value: unknown): [boolean, unknown] => [false, value]

t.test('the check of a ScreenContract says what TypeBox says', async t => {
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
    t.equal(Value.Check(typebox.ScreenContract, value), isRight, JSON.stringify(value))
  }
})
