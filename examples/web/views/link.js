import { html } from '../html.js'
import { session } from '../session.js'

/**
 * A link to a screen. It opens in this tab, unless the person presses a modifier key.
 *
 * @param {{ url: string, open?: () => unknown, children?: any } & Record<string, any>} props
 */
export function ScreenLink({ url, open = () => session.open(url), children, ...attributes }) {
  const path = session.pathOf(url)
  const href = path === null || path === session.menuPath ? '#' : `#${path}`
  return html`<a href=${href} dir="auto" ...${attributes} onClick=${click}>${children}</a>`

  /** @param {MouseEvent} event */
  function click(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open()
  }
}
