import { useCallback, useEffect, useRef, useState } from 'react'
import type { Item } from '../client/screen.js'
import type { Message, Session, State, Values } from '../client/session.js'
import { Frame, layOut } from './frame.tsx'
import type { FullScreen } from './full-screen.ts'
import type { Key } from './keys.ts'
import { OfflineView } from './offline-view.tsx'
import { type Place, ScreenView } from './screen-view.tsx'
import { Trail } from './trail.ts'

interface AppProps {
  session: Session
  state: State
  terminal: FullScreen
  /** Calls the listener for each key. */
  onKeys: (listener: (key: Key) => void) => void
  onQuit: () => void
}

const HOW_TO_QUIT: Message = { kind: 'info', text: 'Press Ctrl-C to quit.' }

/** Shows each state of the session in its view, and handles the keys that work everywhere. */
export function App({ session, state, terminal, onKeys, onQuit }: AppProps) {
  const size = useSize(terminal)
  const [notice, setNotice] = useState<{ message: Message; at: State } | null>(null)
  const [deed, setDeed] = useState('Loading…')
  const keys = useRef<(key: Key) => void>(() => {})
  /** Keys that were typed before the first view was there. */
  const typedAhead = useRef<Key[]>([])
  const trail = useRef(new Trail())
  const places = useRef(new Map<string, Place>())
  const displayName = useRef('')

  const canLogOut = session.isLoggedIn
  if (state.name === 'screen') {
    displayName.current = state.screen.displayName
    trail.current.visit(state.path)
  }
  if (state.name === 'login' && !canLogOut) {
    displayName.current = ''
    trail.current.forget()
    places.current.clear()
  }

  const message = notice?.at === state ? notice.message : messageOf(state, deed)
  const say = (message: Message) => setNotice({ message, at: state })

  const handler = useRef<(key: Key) => void>(() => {})
  handler.current = key => {
    if (key.name === 'quit') return onQuit()
    setNotice(null)
    if (key.name === 'log-out') {
      const isBusy = 'busy' in state && state.busy
      if (canLogOut && !isBusy) session.logOut()
      terminal.repaint()
      return
    }
    keys.current(key)
  }
  useEffect(() => onKeys(key => handler.current(key)), [onKeys])
  useEffect(() => {
    if (state.name === 'starting') return
    // Not within the effect: React would draw only after the last key, but each key depends on the result of the one
    // before.
    setImmediate(() => {
      for (const key of typedAhead.current.splice(0)) handler.current(key)
    })
  }, [state])

  // A stable function, so that another draw does not restart the countdown.
  const retry = useCallback(() => void session.retry(), [session])

  function submit(entered: Values): void {
    if (state.name === 'screen') setDeed(`${state.screen.saveLabel || 'Saving'}…`)
    if (state.name === 'login') session.submit(entered)
    else session.save(entered)
  }

  function follow({ action }: Item): void {
    setDeed('Loading…')
    if (action.type === 'open_url') say(urlMessage(action.url))
    else session.follow(action)
  }

  const isOffline = state.name === 'offline'
  // When a screen cannot be loaded, back leads to the screen before it.
  const previous = isOffline ? trail.current.last : trail.current.previous(session.menuPath)
  const isThere = isOffline && previous === state.path
  const canGoBack = previous !== null && !isThere && (state.name !== 'login' || canLogOut)
  function back(): void {
    setDeed('Loading…')
    if (canGoBack) session.open(previous)
    else say(HOW_TO_QUIT)
  }

  const common = { terminal, size, message, canLogOut, canGoBack, onBack: back, keys }
  if (state.name === 'offline') {
    return (
      <OfflineView
        {...common}
        state={state}
        displayName={canLogOut ? displayName.current : ''}
        onRetry={retry}
      />
    )
  }
  if (state.name === 'starting') {
    keys.current = key => typedAhead.current.push(key)
    const layout = layOut(size, message)
    const hints = ['Ctrl-C quit']
    return (
      <Frame
        layout={layout}
        terminal={terminal}
        title=""
        displayName=""
        isError={false}
        hints={hints}
        lines={[]}
      />
    )
  }
  const path = state.name === 'screen' ? state.path : ''
  return (
    <ScreenView
      {...common}
      key={numberOf(state.screen)}
      state={state}
      remembered={path === '' ? undefined : places.current.get(path)}
      onPlace={place => path !== '' && places.current.set(path, place)}
      onSubmit={submit}
      onFollow={follow}
    />
  )
}

/** Draws again when the size of the terminal changes. */
function useSize(terminal: FullScreen) {
  const [size, setSize] = useState(terminal.size)
  useEffect(() => terminal.onResize(() => setSize(terminal.size)), [terminal])
  return size
}

function messageOf(state: State, deed: string): Message | null {
  if (state.name === 'starting') return { kind: 'info', text: 'Connecting…' }
  if (state.name === 'submitting') return { kind: 'info', text: 'Logging in…' }
  if (state.name === 'screen' && state.busy) return { kind: 'info', text: deed }
  return state.message
}

/** The terminal client cannot open a browser, so it shows the URL, which must be safe to copy into one. */
function urlMessage(url: string): Message {
  return /^(?:https?:\/\/|mailto:)./i.test(url)
    ? { kind: 'info', text: `Open in a browser: ${url}` }
    : { kind: 'error', text: 'This address cannot be followed.' }
}

const numbers = new WeakMap<object, number>()
let count = 0

/** A number for each screen object: a new one starts with a new focus. */
function numberOf(screen: object): number {
  const number = numbers.get(screen) ?? ++count
  numbers.set(screen, number)
  return number
}
