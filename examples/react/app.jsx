// A client in React 18 or 19: login, menus, lists with a search, forms, messages, questions and the logout.
import { useEffect, useSyncExternalStore } from 'react'
import { canSave, faultOf, fieldsOf, format, isInput, isTrue, parse, Session, webStore } from 'screen-auth-client'

const baseUrl = globalThis.location?.origin ?? 'http://localhost'
const confirm = ({ text, details }) => window.confirm(`${text} ${details}`)
// A number is shown and typed in this format. Without it, the platform's format applies.
const locale = globalThis.navigator?.languages
const session = new Session({ baseUrl, confirm, locale, tokens: webStore(() => sessionStorage, 'token') })
const getState = () => session.state
// A server renders the first state. React hydrates with it, even if the session already has another one.
const firstState = session.state

export function App() {
  const state = useSyncExternalStore(session.subscribe, getState, () => firstState)
  useEffect(() => {
    session.start()
    return () => session.stop()
  }, [])
  const { message, screen } = state
  return (
    <main aria-busy={state.busy !== null}>
      {state.canOpen && <Button label="Menu" onClick={() => session.open(session.menuPath)} />}
      {state.isLoggedIn && <Button label={`Log out ${state.displayName}`} onClick={() => session.logOut()} />}
      <h1>{screen?.title ?? state.name}</h1>
      {screen?.menu?.tabs.map(({ items }) => items.filter(({ label }) => label).map(itemOf))}
      {screen?.list && <List {...screen.list} />}
      {screen?.sections[0] && <Card {...state} />}
      {screen?.createUrl && <Button label="New" onClick={() => session.create()} />}
      {screen?.screenActions.map(actionOf)}
      <p role={message?.kind === 'error' ? 'alert' : 'status'}>{message?.text}</p>
      {message?.help && <Button label={message.help} onClick={() => session[message.help]()} />}
    </main>
  )
}
const actionOf = action => <Button key={action.id} label={action.label} onClick={() => session.act(action)} />
const itemOf = ({ label, action }, index) => <Button key={index} label={label} onClick={() => session.follow(action)} />
const Button = ({ label, onClick }) => <button type="button" onClick={onClick} children={label} />

function List({ columns, rows }) {
  const textOf = values => columns.map((column, index) => format(column, values[index] ?? '', locale)).join(' | ')
  const open = url => url && session.open(url)
  const rowOf = ({ url, values }, index) => <Button key={index} label={textOf(values)} onClick={() => open(url)} />
  const search = ({ target }) => session.search(target.value)
  return [<input key="search" type="search" aria-label="Search" onChange={search} />, ...rows.map(rowOf)]
}

function Card({ screen, ...state }) {
  const send = event => {
    event.preventDefault()
    return screen.authAction ? session.submit() : session.save()
  }
  return (
    <form onSubmit={send}>
      {fieldsOf(screen).map(field => (
        <label key={field.id} htmlFor={field.id}>
          {field.label} <Control field={field} {...state} />
        </label>
      ))}
      {(screen.authAction || canSave(screen)) && <button type="submit">Send</button>}
      {screen.actions.delete && <Button label="Delete" onClick={() => session.save('delete')} />}
    </form>
  )
}

const choiceOf = choice => <option key={choice.value} {...choice} />
const TYPES = { Password: 'password', Phone: 'tel', Date: 'date', Time: 'time' }
// Chromium turns the value of an input of the type email into punycode, and `url` refuses www.example.com.
const MODES = { Integer: 'numeric', Decimal: 'decimal', Email: 'email', URL: 'url' }
const faultIn = (field, text) => {
  // An unchanged value from the server is not sent.
  if (text && text === format(field, field.value, locale)) return ''
  const fault = faultOf(field, parse(field, text, locale))
  return fault === 'type' && field.type === 'Decimal' ? `not like ${format(field, '1234.5', locale)}` : (fault ?? '')
}
function Control({ field, values, busy, message }) {
  const { id, type, options, rows } = field
  const value = values.get(id)
  if (type === 'Separator') return <hr />
  if (!isInput(field)) return <output id={id}>{format(field, field.value, locale)}</output>
  const onChange = ({ target }) => session.enter(id, type === 'Boolean' ? String(target.checked) : target.value)
  const ref = input => input?.setCustomValidity(faultIn(field, value))
  const placeholder = MODES[type] ? format(field, field.placeholder, locale) : field.placeholder
  const props = { id, value, placeholder, onChange, ref, readOnly: !!busy, 'aria-invalid': message?.field === id }
  const choices = options.some(one => one.value === value) ? options : [{ label: value, value }, ...options]
  if (type === 'Option') return <select {...props}>{choices.map(choiceOf)}</select>
  if (type === 'TextArea') return <textarea {...props} rows={rows || 4} />
  if (type === 'Boolean') return <input {...props} type="checkbox" checked={isTrue(value)} />
  return <input {...props} type={TYPES[type] ?? 'text'} inputMode={MODES[type]} />
}
