import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import Negotiator from 'negotiator'
import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The texts in the language that the client likes best. */
    readonly texts: Texts
  }
}

/** To add a language, write a file of texts and add it here. */
export const LANGUAGES: readonly Texts[] = [en, de]

/**
 * Gives every request its texts, and says in the response which language they are in.
 *
 * @param options.language the code of one of them, for clients that want none, or do not say which
 */
export const languages = plugin(async (app: FastifyInstance, { language }: { language: string }) => {
  const own = LANGUAGES.find(({ code }) => code === language) as Texts
  // The first is taken by a client that has no wish.
  const codes = [own, ...LANGUAGES].map(({ code }) => code)
  app.decorateRequest('texts', {
    getter() {
      // The beginning is enough: to read a header of thousands of languages takes long.
      const accepted = this.headers['accept-language']?.slice(0, 200)
      const chosen = new Negotiator({ headers: { 'accept-language': accepted } }).language(codes)
      return LANGUAGES.find(({ code }) => code === chosen) ?? own
    }
  })
  // Only JSON has texts in it: a file of the web client is in no language.
  app.addHook('onSend', async (request, reply) => {
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
    if (isJson) reply.header('content-language', request.texts.code)
  })
})
