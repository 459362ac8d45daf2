// What @fastify/swagger shows of the three routes.
export { documented } from './own-routes.ts'
