import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import Negotiator from 'negotiator'
import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Texts in the language that the client prefers. */
    readonly texts: Texts
  }
}

/** Supported languages. To add one, write a file of texts and add it here. */
export const LANGUAGES: readonly Texts[] = [en, de]

/**
 * Adds the texts to every request, and the header Content-Language to every JSON response.
 *
 * @param options.language the code of the default language, for clients that request no supported language
 */
export const languages = plugin(async (app: FastifyInstance, { language }: { language: string }) => {
  const fallback = LANGUAGES.find(({ code }) => code === language) as Texts
  // The negotiator returns the first code if the client has no preference.
  const codes = [fallback, ...LANGUAGES].map(({ code }) => code)
  app.decorateRequest('texts', {
    getter() {
      // Reads only the beginning: parsing a header with thousands of languages takes long.
      const accepted = this.headers['accept-language']?.slice(0, 200)
      const chosen = new Negotiator({ headers: { 'accept-language': accepted } }).language(codes)
      return LANGUAGES.find(({ code }) => code === chosen) ?? fallback
    }
  })
  // Only JSON responses contain these texts. The files of the web client do not.
  app.addHook('onSend', async (request, reply) => {
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
    if (isJson) reply.header('content-language', request.texts.code)
  })
})
