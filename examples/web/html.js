import htm from 'htm'
import { h } from 'preact'

/** @import { VNode } from 'preact' */

/**
 * The elements of Preact as a tagged template. What is put into it becomes text or an attribute, never HTML.
 *
 * @type {(strings: TemplateStringsArray, ...values: any[]) => VNode}
 */
export const html = /** @type {any} */ (htm).bind(h)
