/** @import { State } from '../../client/session.js' */

/**
 * What is drawn between the bars.
 *
 * @typedef {object} View
 * @property {Node[]} nodes
 * @property {(state: State) => void} update the same screen in its present state; called after it is drawn, too
 * @property {HTMLElement | undefined} [focus] where to begin, when that is not the title
 */

export {}
