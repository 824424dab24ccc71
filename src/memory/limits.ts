/** Counted by key, in one process, in windows that begin with the first time. `keysMax`: the least recently used are forgotten first. */
type Limit = {
  readonly countMax: number
  readonly windowSeconds: number
  readonly keysMax: number
  readonly description: string
}

const minute = { windowSeconds: 60, keysMax: 20_000 } as const

/** All rate limits. What succeeds counts nowhere, unless the description says so. */
export const limits = {
  'authorization.attempts_of_client': {
    ...{ ...minute, countMax: 10 },
    description: 'Failed client authentications by client and address; forgotten when the client authenticates.',
  },
  'authorization.attempts_of_proven_client': {
    ...{ ...minute, countMax: 60 },
    description: 'The same for a client that authenticated within the last day.',
  },
  'authorization.attempts_of_network': {
    ...{ ...minute, countMax: 100 },
    description: 'Failed client authentications by address, of whatever client: each costs a slow hash.',
  },
  'issuance.refusals': {
    ...{ ...minute, countMax: 300 },
    description: 'Wrong codes, tokens, links, nonces and key proofs by address and tenant.',
  },
  'issuance.guesses': {
    ...{ ...minute, countMax: 1000 },
    description: 'Wrong transaction codes by tenant. Each genuine offer allows five.',
  },
  'issuance.nonces': {
    ...{ ...minute, countMax: 6000 },
    description: 'Nonces by address and tenant, less those that a credential was issued with.',
  },
  'verification.refusals': {
    ...{ ...minute, countMax: 120 },
    description: 'Unknown states, closed requests and undecided responses by address and tenant.',
  },
} as const satisfies Record<string, Limit>

/** A name in {@link limits}. */
export type LimitName = keyof typeof limits
