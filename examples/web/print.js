import { format } from 'screen-auth-client'

/** Paper shows a text in place of each control, because a control cuts a text that is longer than itself (style.css). */
export function prepareForPaper() {
  for (const element of document.querySelectorAll('.field .input > :is(input, textarea, select)')) {
    const { type, value, selectedOptions } = /** @type {any} */ (element)
    const text = type === 'date' ? format({ type: 'Date' }, value, navigator.languages) : value
    const shown = type === 'password' ? '' : (selectedOptions?.[0]?.text ?? text)
    element.parentElement?.setAttribute('data-printed', (value && shown) || '–')
  }
}
