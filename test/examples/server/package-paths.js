// The examples import the package by its name. The paths in tsconfig.json map the name to the sources, but tap does not
// read them.

const root = new URL('../../../', import.meta.url)

/** @type {Record<string, string>} */
const SOURCES = {
  'fastify-screen-auth': 'lib/index.ts',
  'fastify-screen-auth/schemas': 'schemas/index.ts'
}

/** @type {import('node:module').ResolveHook} */
export const resolve = (specifier, context, nextResolve) => {
  const source = SOURCES[specifier]
  return nextResolve(source === undefined ? specifier : new URL(source, root).href, context)
}
