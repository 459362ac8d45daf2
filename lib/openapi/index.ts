// The documentation of the three routes and of the host's routes in @fastify/swagger.
export { documented } from './own-routes.ts'
export { documentSecurity } from './security.ts'
