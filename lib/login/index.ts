// The two login routes: the form, the body, the check of the credentials, the messages.
export type { Credentials } from './credentials.ts'
export type { Message, MessageKey, SayMessage } from './messages.ts'
export {
  type AnyCheckCredentials,
  type CheckCredentials,
  checkLoginOptions,
  DEFAULT_APP_NAME,
  type LoginFields,
  type LoginForm,
  type LoginOptions,
  type LoginSettings
} from './options.ts'
export { type Reauthentication, reauthenticate } from './reauthenticate.ts'
export { loginRoutes } from './routes.ts'
