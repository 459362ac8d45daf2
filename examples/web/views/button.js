import { useState } from 'preact/hooks'
import { html } from '../html.js'

/**
 * A button that is marked as busy until its action ends. It is not `disabled`, because it would lose the focus.
 *
 * @param {{ isBusy: boolean, onClick: () => unknown, children?: any } & Record<string, any>} props
 */
export function Button({ isBusy, onClick, children, ...attributes }) {
  const [isPressed, setPressed] = useState(false)
  return html`<button
    type="button"
    dir="auto"
    ...${attributes}
    aria-disabled=${String(isBusy)}
    aria-busy=${String(isBusy && isPressed)}
    onClick=${click}
  >${children}</button>`

  async function click() {
    if (isBusy) return
    setPressed(true)
    await onClick()
    setPressed(false)
  }
}
