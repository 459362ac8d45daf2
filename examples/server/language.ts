import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'

/** To add a language, write a file of texts and add it here. */
export const languages = new Map<string, Texts>([
  ['en', en],
  ['de', de]
])

/** The texts in the language that the client likes best, of those that there are. English is the default. */
export function textsFor(request: FastifyRequest): Texts {
  // The beginning is enough: to read a header of thousands of languages takes long.
  const accepted = request.headers['accept-language']?.slice(0, 200)
  const negotiator = new Negotiator({ headers: { 'accept-language': accepted } })
  return languages.get(negotiator.language([...languages.keys()]) ?? '') ?? en
}
