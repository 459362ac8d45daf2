// The onRequest hook that guards all routes, and the parser of the Authorization header.
export { bearerToken } from './authorization-header.ts'
export { guard } from './hook.ts'
