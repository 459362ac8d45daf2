import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

const schema = new URL('../../schemas/known-screen.schema.json', import.meta.url)
const ajv = new Ajv2020({ strict: false })
const isKnown = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')))

/** Returns why known clients cannot draw a screen; an empty string if they can. */
export const faultsOf = (screen: unknown): string => (isKnown(screen) ? '' : ajv.errorsText(isKnown.errors))
