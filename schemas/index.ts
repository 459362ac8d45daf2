/**
 * TypeBox schemas of the contract, each with its static type under the same name.
 *
 * @module
 */
import './type-provider.ts'

export { AuthRequest, AuthResponse } from './auth.ts'
export { type ContractSchema, Field, ScreenContract, Section } from './screen.ts'
