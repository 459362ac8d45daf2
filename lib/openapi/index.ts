// What @fastify/swagger shows of the three routes, and of the host's own.
export { documented } from './own-routes.ts'
export { documentSecurity } from './security.ts'
