import htm from 'htm'
import { h } from 'preact'

/** @import { VNode } from 'preact' */

/**
 * Creates an element. Its text is a property, because the translation of a browser replaces the text nodes that Preact
 * would change. Beside elements, each text has an element of its own.
 *
 * @type {(type: any, props: object | null, ...children: any[]) => VNode}
 */
function create(type, props, ...children) {
  const parts = children.flat(Infinity)
  if (typeof type !== 'string' || parts.length === 0) return h(type, props, ...children)
  if (parts.some(part => Object(part) === part)) return h(type, props, ...children.map(wrap))
  return h(type, { ...props, textContent: parts.filter(part => part !== false).join('') })
}

/** @type {(child: any) => any} */
function wrap(child) {
  if (Array.isArray(child)) return child.map(wrap)
  return child && typeof child === 'string' ? create('span', null, child) : child
}

/**
 * Creates Preact elements from a tagged template. Inserted values become text or attributes, never HTML.
 *
 * @type {(strings: TemplateStringsArray, ...values: any[]) => VNode}
 */
export const html = /** @type {any} */ (htm).bind(create)
