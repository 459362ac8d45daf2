// The two login routes: the form, the body, the check of the credentials, the messages.
export type { Credentials } from './credentials.ts'
export type { Message, MessageKey, SayMessage } from './messages.ts'
export * from './options.ts'
export { type Reauthentication, reauthenticate } from './reauthenticate.ts'
export { loginRoutes } from './routes.ts'
