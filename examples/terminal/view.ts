import type { Message } from '../client/session.js'
import type { FullScreen, Size } from './full-screen.ts'
import type { Key } from './keys.ts'

/** What every view gets. */
export interface ViewProps {
  terminal: FullScreen
  size: Size
  /** For the bottom bar. */
  message: Message | null
  canLogOut: boolean
  canGoBack: boolean
  onBack: () => void
  /** The view puts in what the next key does. */
  keys: { current: (key: Key) => void }
}
