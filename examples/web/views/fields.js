import { element } from '../dom.js'
import { createControl } from './control.js'
import { description } from './description.js'

/** @import { Field, Session } from 'screen-auth-client' */
/** @import { Control, Use } from './control.js' */

/**
 * The fields of a form: inputs, values to read, and lines.
 *
 * @param {Field[]} fields
 * @param {string} name makes the ids of the elements unique
 * @param {Session} session
 * @param {Use} use
 */
export function createFields(fields, name, session, use) {
  /** @type {Control[]} */
  const controls = []
  /** @type {HTMLElement[]} */
  const nodes = []
  fields.forEach((field, index) => {
    if (field.type === 'Separator') nodes.push(element('hr'))
    else if (field.editable) {
      const isLast = !fields.slice(index + 1).some(({ editable, type }) => editable && type !== 'Separator')
      const control = createControl(field, `${name}-${index}`, session, { ...use, isLast })
      controls.push(control)
      nodes.push(control.node)
    } else {
      if (nodes.at(-1)?.tagName !== 'DL') nodes.push(element('dl'))
      nodes.at(-1)?.append(...description(field, session))
    }
  })
  return { nodes, controls, check }

  /** Says at each field what is wrong with it. Returns whether all are right. */
  function check() {
    return controls.map(control => control.check()).every(Boolean)
  }
}
