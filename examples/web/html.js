import htm from 'htm'
import { h } from 'preact'

/** @import { VNode } from 'preact' */

/**
 * Creates Preact elements from a tagged template. Inserted values become text or attributes, never HTML.
 *
 * @type {(strings: TemplateStringsArray, ...values: any[]) => VNode}
 */
export const html = /** @type {any} */ (htm).bind(h)
