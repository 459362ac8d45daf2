/**
 * A function listens to the event of that name; true is an attribute without a value, false and undefined none.
 *
 * @typedef {Record<string, string | number | boolean | undefined | ((event: any) => void)>} Attributes
 */

/**
 * Makes an element. Texts become text nodes, never HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value)
    else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? '' : `${value}`)
  }
  made.append(...children)
  return made
}

/**
 * A button that does not submit a form.
 *
 * @param {string} label
 * @param {() => unknown} click
 * @param {Attributes} [attributes]
 */
export function button(label, click, attributes) {
  return element('button', { type: 'button', dir: 'auto', click, ...attributes }, label)
}

/**
 * The heading of a part of a screen; none when the part has no label.
 *
 * @param {'h2' | 'legend'} name
 * @param {string} label
 * @returns {Node[]}
 */
export function heading(name, label) {
  return label === '' ? [] : [element(name, { dir: 'auto' }, label)]
}

/**
 * An element of the page.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id))
}

/**
 * Changes a text only where it differs: screen readers announce each change of a live region.
 *
 * @param {Element} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}
