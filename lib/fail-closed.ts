import type { FastifyInstance } from 'fastify'
import { NotLoadedError } from './shared/index.ts'

/** Loads a plugin, and resolves to what is to be done when the server is ready. */
type Load<Options> = (app: FastifyInstance, options: Options) => Promise<() => void>

/**
 * Makes a plugin whose failure closes the server, even when the host swallows the error: then the server refuses to
 * start, and if it is started all the same, every route is a 503.
 */
export function failClosed<Options>(load: Load<Options>) {
  return async (app: FastifyInstance, options: Options): Promise<void> => {
    // In place at once, unlike the other hooks, which Fastify drops when a plugin fails.
    let whenReady: (() => void) | undefined
    app.addHook('onReady', async () => {
      if (whenReady === undefined) {
        // The hooks of a failed start run only once.
        app.close(() => {})
        throw new NotLoadedError()
      }
      whenReady()
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
