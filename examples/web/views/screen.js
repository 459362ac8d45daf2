import { canSave } from 'screen-auth-client'
import { html } from '../html.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { openForm } from './action-form.js'
import { Form, Values } from './card.js'
import { Filter, Table } from './list.js'
import { Menu } from './menu.js'
import { Button, Logo } from './parts.js'

/** @import { List, Login, ScreenAction, Shown } from 'screen-auth-client' */

/** Draws all known parts of a screen, regardless of its layout. @param {{ state: Login | Shown }} props */
export function Screen({ state }) {
  const { screen } = state
  const { actions, authAction, layout, list, menu, sections, title } = screen
  const isForm = authAction !== '' || canSave(screen)
  const isRead = !isForm && (sections.length > 0 || actions.delete !== '')
  const isEmpty = !isForm && !isRead && !menu && !list
  return html`
    <div class="head">
      ${!state.canOpen && html`<${Logo} />`}
      <h1 id="title" tabindex="-1" dir="auto">${title}</h1>
      ${list && html`<${Count} list=${list} isLoading=${state.busy === 'loading'} />`}
      ${list && state.name === 'screen' && html`<${Filter} state=${state} />`}
      ${!authAction && html`<${Actions} state=${state} />`}
    </div>
    ${isForm && html`<${Form} state=${state} />`}
    ${authAction && html`<${Actions} state=${state} />`}
    ${isRead && html`<${Values} state=${state} />`}
    ${menu && html`<${Menu} menu=${menu} />`}
    ${list && html`<${Table} list=${list} state=${state} />`}
    ${isEmpty && html`<p class="card" dir="auto">${layout === 'Card' ? text('empty_screen') : `${text('unknown_layout')} "${layout}".`}</p>`}`
}

/** The number of rows, and that a slow search goes on (style.css). @param {{ list: List, isLoading: boolean }} props */
function Count({ list: { rows }, isLoading }) {
  const isSearching = isLoading && document.activeElement?.id === 'filter'
  return html`<p class="count" role="status">
    ${rows.length > 0 && html`<span>${text(rows.length === 1 ? 'entry' : 'entries', rows.length)}</span>`}
    ${isSearching && html`<span class="soon">${text('searching')}</span>`}
  </p>`
}

/** Buttons of a screen, except those that save it. @param {{ state: Login | Shown }} props */
function Actions({ state }) {
  const { screenActions, createUrl } = state.screen
  if (screenActions.length === 0 && createUrl === '') return null
  const isBusy = state.busy !== null
  const press = (/** @type {ScreenAction} */ action) =>
    action.kind === 'modal' ? openForm(action) : session.act(action)
  return html`<div class="toolbar">
    ${screenActions.map(action => html`<${Button} isBusy=${isBusy} onClick=${() => press(action)}>${action.label}<//>`)}
    ${createUrl && html`<${Button} class=${canSave(state.screen) ? 'plus' : 'primary plus'} isBusy=${isBusy} onClick=${() => session.create()}>${text('new')}<//>`}
  </div>`
}
