/**
 * The client's half of the contract, without a user interface, for browsers, Node, Deno and Bun.
 *
 * @module
 */
export type { Values } from './changes.ts'
export {
  type Action,
  type Column,
  type Field,
  fieldsOf,
  type Item,
  type List,
  type Menu,
  type Row,
  readScreen,
  type Screen,
  type ScreenAction,
  type Section,
  type Validation
} from './screen.ts'
export { baseUrlOf, type Fetch } from './service.ts'
export {
  type Failed,
  type Login,
  type Message,
  type Question,
  Session,
  type SessionOptions,
  type Shown,
  type Starting,
  type State,
  type Store
} from './session.ts'
