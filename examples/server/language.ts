import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'

/** To add a language, write a file of texts and add it here. */
export const languages = new Map<string, Texts>([
  ['en', en],
  ['de', de]
])

/** Characters of a header that is read: that of a browser has fewer, and a long one takes long. */
const LONGEST_HEADER = 500

/** The texts in the language that the client likes best, of those that there are. English is the default. */
export function textsFor(request: FastifyRequest): Texts {
  const { 'accept-language': accepted = '' } = request.headers
  if (accepted.length > LONGEST_HEADER) return en
  const language = new Negotiator(request).language([...languages.keys()])
  return languages.get(language ?? '') ?? en
}
