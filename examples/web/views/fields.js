import { element } from '../dom.js'
import { createControl } from './control.js'
import { description } from './values.js'

/** @import { Field, Session } from 'fastify-screen-auth/client' */
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
  const nodes = fields.map((field, index) => {
    if (field.type === 'Separator') return element('hr')
    if (!field.editable) return element('dl', {}, ...description(field, session))
    const isLast = !fields.slice(index + 1).some(({ editable, type }) => editable && type !== 'Separator')
    const control = createControl(field, `${name}-${index}`, session, { ...use, isLast })
    controls.push(control)
    return control.node
  })
  return { nodes, controls, focus: (controls.find(({ isFirst }) => isFirst) ?? controls[0])?.input, areValid }

  /** Says at each field what is wrong with it. The first of them gets the focus. */
  function areValid() {
    const faulty = controls.filter(control => !control.check())
    faulty[0]?.input.focus()
    return faulty.length === 0
  }
}
