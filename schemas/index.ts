/**
 * TypeBox schemas of the contract, each with its static type under the same name.
 *
 * @module
 */
export { AuthRequest, AuthResponse } from './auth.ts'
export { Field, ScreenContract, Section } from './screen.ts'
