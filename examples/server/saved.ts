import { Type } from '@sinclair/typebox'
import type { CardScreen } from 'fastify-screen-auth/screens'

/** A Card that can be saved: an extension of the example, because the contract does not say how a screen is saved. */
export interface SavedCard extends CardScreen {
  /** Where the fields are posted. The response is {@link Saved}. */
  save_action: string
  /** The text of the button. */
  save_label?: string
}

/** The response to a saved Card. A refusal has the status 200 too, because only then clients show the message. */
export const Saved = Type.Object({ success: Type.Boolean(), message: Type.String() })
