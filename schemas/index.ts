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
     * all others as they are. `hijack` is of a reply: a handler may return it. Added by fastify-screen-auth.
     */
    serializer: this['schema'] extends { '~unsafe': infer T; static: unknown }
      ? T | { hijack(): unknown }
      : unknown
  }
}
