// Who may pass: the onRequest hook, and the token of the Authorization header.
export { bearerToken } from './authorization-header.ts'
export { guard } from './hook.ts'
