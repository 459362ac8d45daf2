/**
 * A client session of the contract, without a user interface, for browsers, Node, Deno and Bun.
 *
 * @module
 */
export { canSave, fieldNamedBy, type Values } from './form.ts'
export { type Formatted, format, isTrue } from './format.ts'
export { fromLocale, isNumber, type Locale, toLocale } from './locale.ts'
export type { PersonLocale } from './numbers.ts'
export { parse } from './parse.ts'
export { readField, readScreen } from './reader.ts'
export {
  type Action,
  type Column,
  type Field,
  fieldsOf,
  type Item,
  isInput,
  type List,
  type Menu,
  type Row,
  type Screen,
  type ScreenAction,
  type Section,
  type Validation
} from './screen.ts'
export { baseUrlOf, type Fetch } from './service.ts'
export { Session, type SessionOptions } from './session.ts'
export type { Failed, Login, Message, Question, Shown, Starting, State } from './state.ts'
export { type Store, sharedStore, type WebStorage, webStore } from './stores.ts'
export { type Checked, type Fault, faultOf } from './validation.ts'
