// Issues and verifies tokens: JWTs, opaque tokens with sessions in a store, or tokens of the host's service.
export { type JwtTokens, type JwtTokensOptions, jwtTokens } from './jwt.ts'
export { type OpaqueTokens, opaqueTokens } from './opaque-tokens.ts'
export * from './options.ts'
export { isLongEnough, type Secret } from './secrets.ts'
export type { OpaqueTokensOptions, SessionTimes } from './session-options.ts'
export { isPromise, type TokenService, toUser, type VerifyOptions } from './token-service.ts'
