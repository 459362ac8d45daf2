import htm from 'htm'
import { h } from 'preact'

/** @import { ComponentChildren, VNode } from 'preact' */

/**
 * Creates an element. Its text is a property and not a text node of Preact: the translation of a browser replaces text
 * nodes, and Preact would change the replaced ones. Between other elements, a text has an element of its own.
 *
 * @param {any} type
 * @param {object | null} props
 * @param {any[]} children
 */
function create(type, props, ...children) {
  if (typeof type !== 'string') return h(type, props, ...children)
  const parts = children.flat(Infinity).filter(part => part != null && typeof part !== 'boolean')
  const isText = parts.length > 0 && parts.every(part => typeof part !== 'object')
  return isText ? h(type, { ...props, textContent: parts.join('') }) : h(type, props, ...children.map(wrap))
}

/** @type {(child: any) => ComponentChildren} */
function wrap(child) {
  if (Array.isArray(child)) return child.map(wrap)
  return typeof child === 'string' || typeof child === 'number' ? child !== '' && create('span', null, child) : child
}

/**
 * Creates Preact elements from a tagged template. Inserted values become text or attributes, never HTML.
 *
 * @type {(strings: TemplateStringsArray, ...values: any[]) => VNode}
 */
export const html = /** @type {any} */ (htm).bind(create)
