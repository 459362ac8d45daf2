import { Type } from '@sinclair/typebox'

/** The answer to a saved Card. Status 200 also for a refusal, as for a rejected login: clients show the message only then. */
export const Saved = Type.Object({ success: Type.Boolean(), message: Type.String() })
