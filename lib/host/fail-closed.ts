import type { FastifyInstance } from 'fastify'
import { NotLoadedError } from '../base/errors.ts'
import type { ScreenAuthOptions } from '../options.ts'

/**
 * Creates a plugin that fails closed: if it does not load, the server refuses to start, even if the host ignores the
 * error. If the host serves requests nevertheless, every route responds 503.
 * `load` resolves to a function that is called when the server is ready.
 */
export function failClosed(load: (app: FastifyInstance, options: ScreenAuthOptions) => Promise<() => void>) {
  return async (app: FastifyInstance, options: ScreenAuthOptions): Promise<void> => {
    // Fastify adds an onReady hook immediately, but drops hooks of other kinds if the plugin fails.
    let whenReady: (() => void) | undefined
    app.addHook('onReady', async () => {
      if (whenReady) return whenReady()
      // Close the server, because a second start would not run this hook again.
      app.close(() => {})
      throw new NotLoadedError()
    })

    try {
      whenReady = await load(app, options)
    } catch (error) {
      app.addHook('onRequest', (_request, reply) => {
        reply.code(503).send()
      })
      await app.after()
      throw error
    }
  }
}
