// What @fastify/swagger shows of the three routes, and of the host's own.
export { completeDocuments } from './host-documents.ts'
export { documented } from './own-routes.ts'
