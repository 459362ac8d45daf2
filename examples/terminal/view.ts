import type { Message, Session } from 'screen-auth-client'
import type { Key } from './keys.ts'
import type { Pane } from './pane.ts'
import type { Say } from './texts.ts'

/** What is between the title and the bottom bar. */
export interface View {
  readonly title: string
  readonly pane: Pane
  /** Returns false when the view has no use for the key. */
  key(key: Key): boolean
  /** The keys that work on the whole view, for the last line. */
  readonly hints: string[]
}

/** What a view asks of the program. */
export interface Context {
  readonly session: Session
  readonly say: Say
  /** Shows a message until the next key. */
  tell(message: Message): void
  /** Says what is done while it is under way. */
  run(deed: string, work: Promise<void>): void
  /** Shows a view over the present one. */
  open(view: View): void
  /** Closes the top one. */
  close(): void
}
