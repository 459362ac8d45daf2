import { Type } from '@sinclair/typebox'

/** The response to a saved Card. A refusal has the status 200 too, because only then clients show the message. */
export const Saved = Type.Object({ success: Type.Boolean(), message: Type.String() })
