import { checkLifetime, checkOption, isFunction } from '../shared/index.ts'
import { DAY, jwtService } from './jwt.ts'
import { checkSecrets, type Secret } from './secrets.ts'
import { checkedService, type TokenService } from './token-service.ts'

export interface TokenOptions {
  /**
   * Signing key of the JWTs. In an array, the first key signs and all keys verify (rotation). Default: 32 random bytes.
   */
  secret?: Secret | readonly Secret[] | undefined
  /**
   * Lifetime of a JWT in whole seconds, at most ten years. Do not combine it with `tokens`. Default: 86,400 (24 hours,
   * contract 8).
   */
  tokenLifetime?: number | undefined
  /** Issues and verifies tokens; `secret` is then unused. Default: `jwtTokens({ secret, lifetime: tokenLifetime })`. */
  tokens?: TokenService | undefined
}

export interface TokenSettings {
  tokens: TokenService
  isSecretRandom: boolean
}

/** @throws InvalidOptionError naming the first invalid option */
export function checkTokenOptions(options: TokenOptions): TokenSettings {
  const { secret, tokenLifetime = DAY, tokens } = options
  checkLifetime(tokenLifetime, 'tokenLifetime')
  const secrets = checkSecrets(secret, 'secret')
  if (tokens === undefined) {
    return { tokens: jwtService(secrets, tokenLifetime), isSecretRandom: secret === undefined }
  }
  checkOption(
    isFunction(tokens?.issue) && isFunction(tokens.verify),
    'tokens',
    'must be an object with the functions issue and verify'
  )
  checkOption(
    options.tokenLifetime === undefined,
    'tokenLifetime',
    'is for the default tokens; set the lifetime in your `tokens` instead, as in `opaqueTokens({ store, lifetime: 600 })`'
  )
  return { tokens: checkedService(tokens), isSecretRandom: false }
}
