export {}

declare module 'fastify' {
  interface FastifyTypeProviderDefault {
    /**
     * Added by fastify-screen-auth. Without a type provider, Fastify does not check the types of responses. This type
     * checks the responses whose schema comes from this package, and accepts all others. A handler may also return its
     * reply, which has `hijack`, or an error.
     */
    serializer: this['schema'] extends { '~unsafe': infer T; static: unknown }
      ? T | { hijack(): unknown } | Error
      : unknown
  }
}
