/**
 * TypeBox schemas of the contract, each with its static type under the same name.
 *
 * @module
 */
export { AuthRequest, AuthResponse } from './auth.ts'
export { Field, ScreenContract, Section } from './screen.ts'

declare module 'fastify' {
  interface FastifyTypeProviderDefault {
    /**
     * Without a type provider Fastify checks no response. This checks those of which the schema is one of ours, and leaves
     * all others as they are. A handler may also return its reply, which has `hijack`, or an error. Added by
     * fastify-screen-auth.
     */
    serializer: this['schema'] extends { '~unsafe': infer T; static: unknown }
      ? T | { hijack(): unknown } | Error
      : unknown
  }
}
