import { useEffect, useState } from 'react'
import type { Offline } from '../client/session.js'
import { Frame, layOut } from './frame.tsx'
import { Sheet } from './sheet.ts'
import type { ViewProps } from './view.ts'
import { fit, wrap } from './width.ts'

interface OfflineViewProps extends ViewProps {
  state: Offline
  displayName: string
  onRetry: () => void
}

/** Shown without a usable response. Retries automatically, or at once when the person presses a key. */
export function OfflineView(props: OfflineViewProps) {
  const { state, terminal, size, message, keys, canLogOut, canGoBack, displayName, onBack, onRetry } = props
  const [left, setLeft] = useState(state.retryIn)

  useEffect(() => {
    setLeft(state.retryIn)
    if (state.busy) return
    const retryAt = Date.now() + state.retryIn * 1000
    const timer = setInterval(() => {
      const seconds = Math.ceil((retryAt - Date.now()) / 1000)
      if (seconds > 0) return setLeft(seconds)
      clearInterval(timer)
      onRetry()
    }, 250)
    return () => clearInterval(timer)
  }, [state, onRetry])

  keys.current = ({ name }) => {
    if (state.busy) return
    if (name === 'enter') onRetry()
    if (name === 'escape') onBack()
  }

  const layout = layOut(size, message)
  const sheet = new Sheet()
  const add = (text: string) => wrap(text, layout.width, 3).forEach(line => void sheet.add(line))
  add(state.busy ? 'Trying again…' : `Trying again in ${left} ${left === 1 ? 'second' : 'seconds'}.`)
  if (canLogOut) add('You stay logged in.')
  sheet.gap()
  sheet.addStop(
    { kind: 'button' },
    {
      draw: isFocused => [
        { text: fit('[ Try again ]', layout.width), style: isFocused ? 'active' : undefined }
      ]
    }
  )
  // If there is little room, the last lines are the most important.
  const lines = sheet.lines.slice(-layout.height)
  return (
    <Frame
      layout={layout}
      terminal={terminal}
      title="No answer"
      displayName={displayName}
      isError
      hints={[
        ...(state.busy
          ? []
          : [
              'Enter try again',
              ...(canGoBack ? ['Esc back'] : []),
              ...(canLogOut ? ['Ctrl-L log out'] : [])
            ]),
        'Ctrl-C quit'
      ]}
      lines={lines}
      focused={state.busy ? undefined : 0}
    />
  )
}
