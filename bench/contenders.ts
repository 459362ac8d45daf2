/** A reason why a token is refused. */
export type Refusal = 'none' | 'garbage' | 'signature' | 'expired'

/** One server of the comparison. */
export interface Contender {
  name: string
  label: string
  /** The file in `servers`. */
  file: string
  /** The packages whose versions are reported. */
  packages: string[]
  /** The token that it accepts: any, the shared JWT, or one that it made. */
  token: 'unseen' | 'jwt' | 'own'
  /** The tokens that it refuses with 401. */
  refuses: Refusal[]
  /** What it serves besides the menu. */
  serves: ('form' | 'login' | 'screen')[]
}

/** The baseline of every ratio. */
export const BASELINE = 'fastify'

/** The baseline in a second process: the difference of its ratio from 1 is the noise of the machine. */
export const CONTROL = 'fastify-again'

/** This package. */
export const OURS = 'screen-auth'

const ALL: Refusal[] = ['none', 'garbage', 'signature', 'expired']

export const contenders: Contender[] = [
  { ...open(BASELINE, 'Fastify, no auth', ['fastify']), serves: ['form', 'login', 'screen'] },
  {
    ...open(CONTROL, 'Fastify, no auth, again', ['fastify']),
    file: 'fastify',
    serves: ['form', 'login', 'screen']
  },
  open('fastify-hook', 'Fastify, empty hook', ['fastify']),
  {
    ...withJwt(OURS, 'fastify-screen-auth', ['fastify-screen-auth', 'fastify']),
    serves: ['form', 'login', 'screen']
  },
  { ...withJwt('fastify-jwt', '@fastify/jwt by hand', ['@fastify/jwt', 'fastify']), serves: ['login'] },
  {
    ...withOwnToken('better-auth', 'Fastify + Better Auth (sessions)', ['better-auth', 'fastify']),
    refuses: ['none', 'garbage', 'signature'],
    serves: ['login']
  }
]

function open(name: string, label: string, packages: string[]): Contender {
  return { name, label, file: name, packages, token: 'unseen', refuses: [], serves: [] }
}

function withJwt(name: string, label: string, packages: string[]): Contender {
  return { ...open(name, label, packages), token: 'jwt', refuses: ALL }
}

function withOwnToken(name: string, label: string, packages: string[]): Contender {
  return { ...open(name, label, packages), token: 'own' }
}
