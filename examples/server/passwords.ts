import { hash, verify } from '@node-rs/argon2'

/** Argon2id with the parameters that OWASP's Password Storage Cheat Sheet recommends: 19 MiB, 2 passes, 1 lane. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** In characters. */
export const SHORTEST = 8
export const LONGEST = 1024

/** Hashes a password, with a random salt, into the PHC string format. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, ARGON2ID)
}

/** Whether a password matches a hash. The parameters of the hash decide how long it takes. */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password)
}

/** What is wrong with a new password; null when it is allowed. */
export function passwordFault(password: string): 'short' | 'long' | 'unusable' | null {
  if (password.length < SHORTEST) return 'short'
  if (password.length > LONGEST) return 'long'
  // The login refuses these, so such a password could be set but never used.
  if (!password.isWellFormed() || password.includes('\0')) return 'unusable'
  return null
}
