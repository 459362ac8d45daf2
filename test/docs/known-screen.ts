import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

const schema = new URL('../../schemas/known-screen.schema.json', import.meta.url)
const ajv = new Ajv2020({ strict: false })
const isKnown = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')))

/** What keeps known clients from drawing a screen; an empty string when they draw it. */
export const faultsOf = (screen: unknown): string => (isKnown(screen) ? '' : ajv.errorsText(isKnown.errors))
