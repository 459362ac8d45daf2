/** @import { State } from 'screen-auth-client' */

/**
 * The content between the header and the bar.
 *
 * @typedef {object} View
 * @property {Node[]} nodes
 * @property {(state: State) => void} update shows another state of the same screen; also called after the first draw
 * @property {HTMLElement | undefined} [focus] the element that gets the focus, by default the title
 */

export {}
