import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import Negotiator from 'negotiator'
import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The texts in the language that the client likes best. */
    texts: Texts
  }
}

/** To add a language, write a file of texts and add it here. */
export const LANGUAGES: readonly Texts[] = [en, de]

/**
 * Gives every request its texts, and says in the response which language they are in.
 *
 * @param options.language for clients that want none of the languages, or do not say which
 */
export const languages = plugin(async (app: FastifyInstance, { language }: { language: string }) => {
  const isOwn = ({ code }: Texts) => Number(code === language)
  const ownFirst = LANGUAGES.toSorted((one, other) => isOwn(other) - isOwn(one))
  app.decorateRequest('texts')
  app.addHook('onRequest', async request => {
    // The beginning is enough: to read a header of thousands of languages takes long.
    const accepted = request.headers['accept-language']?.slice(0, 200)
    const negotiator = new Negotiator({ headers: { 'accept-language': accepted } })
    const chosen = negotiator.language(ownFirst.map(({ code }) => code))
    request.texts = ownFirst.find(({ code }) => code === chosen) ?? (ownFirst[0] as Texts)
  })
  // Only JSON has texts in it: a file of the web client is in no language.
  app.addHook('onSend', async (request, reply) => {
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
    if (isJson) reply.header('content-language', request.texts.code)
  })
})
