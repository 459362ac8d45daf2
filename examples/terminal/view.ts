import type { Message } from '../client/session.js'
import type { FullScreen, Size } from './full-screen.ts'
import type { Key } from './keys.ts'

/** The properties of every view. */
export interface ViewProps {
  terminal: FullScreen
  size: Size
  /** For the bottom bar. */
  message: Message | null
  canLogOut: boolean
  canGoBack: boolean
  onBack: () => void
  /** The view sets the handler of the next key. */
  keys: { current: (key: Key) => void }
}
