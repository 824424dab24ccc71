/**
 * At most `countMax` per key within a window that starts with the first count, in one process. Above `keysMax` the
 * least recently used key is evicted. With `shared`, failures are also counted in the database, for all processes
 * together (`api/failure-limit.ts`): each, or with `gathered` that many at a time.
 */
type Limit = {
  readonly countMax: number
  readonly windowSeconds: number
  readonly keysMax: number
  readonly shared?: true
  readonly gathered?: number
  readonly description: string
}

const minute = { windowSeconds: 60, keysMax: 20_000 } as const
/** For refusals that cost no statement themselves: a flood of them must not become a flood of writes. */
const inTens = { shared: true, gathered: 10 } as const

/** All rate limits. Only failures are counted, unless the description says otherwise. */
export const limits = {
  'authorization.attempts_of_client': {
    ...minute,
    countMax: 10,
    shared: true,
    description: 'Failed client authentications by client and address; reset when the client authenticates.',
  },
  'authorization.attempts_of_proven_client': {
    ...minute,
    countMax: 60,
    shared: true,
    description: 'The same for a client that authenticated within the last day.',
  },
  'authorization.attempts_of_network': {
    ...minute,
    countMax: 100,
    description:
      'Failed client authentications by address, of all clients: each costs a slow hash, or a path of certificates.',
  },
  'authorization.resets_of_network': {
    ...minute,
    countMax: 30,
    description: 'Requests for a link to set a new password by address, successful ones included.',
  },
  'authorization.sign_ins_of_network': {
    ...minute,
    countMax: 100,
    description: 'Failed sign-ins with a password by address: each costs slow hashes.',
  },
  'authorization.pushed_requests': {
    ...minute,
    countMax: 60,
    description:
      'Pushed authorization requests of public clients, which do not authenticate, by address; all are counted.',
  },
  'authorization.unknown_issuers': {
    ...minute,
    countMax: 100,
    description:
      'Access tokens of issuers that no organisation accepts, by address: each is looked up in the database.',
  },
  'directory.unknown_users': {
    ...minute,
    countMax: 300,
    shared: true,
    description:
      'Look-ups of users who do not exist, by user or client: of one user, and of the user of a token exchange.',
  },
  'issuance.refusals': {
    ...minute,
    ...inTens,
    countMax: 300,
    description: 'Wrong codes, tokens, links, nonces and key proofs by address and tenant.',
  },
  'issuance.guesses': {
    ...minute,
    countMax: 1000,
    shared: true,
    description: 'Wrong transaction codes by tenant. Each genuine offer allows five.',
  },
  'issuance.nonces': {
    ...minute,
    countMax: 6000,
    description: 'Nonces by address and tenant, without those that were used for a credential.',
  },
  'events.webhook_tests': {
    ...minute,
    countMax: 20,
    description: 'Test messages to webhook endpoints by tenant.',
  },
  'pages.kept_paths': {
    ...minute,
    countMax: 30,
    description:
      'Paths that are too long for a cookie and are kept during a sign-in, by address; all are counted. Beyond it the link has to be opened again after the sign-in.',
  },
  'verification.file_checks': {
    ...minute,
    countMax: 60,
    description: 'Presentations that visitors have checked, by address; all are counted.',
  },
  'verification.file_checks_of_tenant': {
    ...minute,
    countMax: 600,
    description: 'The same by tenant.',
  },
  'verification.page_visits': {
    ...minute,
    countMax: 600,
    shared: true,
    description: 'Requests that visitors begin, by verification page; all are counted. The page sets less.',
  },
  'verification.page_visits_of_network': {
    ...minute,
    countMax: 60,
    shared: true,
    description: 'The same by verification page and address.',
  },
  'verification.refusals': {
    ...minute,
    ...inTens,
    countMax: 120,
    description: 'Unknown states, closed requests and undecided responses by address and tenant.',
  },
  'verification.unknown_pages': {
    ...minute,
    countMax: 120,
    description: 'Verification pages that do not exist, by address: each is looked up in the database.',
  },
  'verification.visits_of_network': {
    ...minute,
    countMax: 120,
    description: 'Requests that visitors begin by address, on pages of whatever tenant; all are counted.',
  },
  'verification.visits_of_tenant': {
    ...minute,
    countMax: 1200,
    description: 'Requests that visitors begin by tenant, on all its verification pages; all are counted.',
  },
  'wallet.status_checks': {
    ...minute,
    countMax: 10,
    description:
      'Status checks that a holder asks for, by holder; all are counted, except of credentials of this deployment.',
  },
  'wallet.unknown_shared_links': {
    ...minute,
    countMax: 60,
    description: 'Links of holders that do not exist or have ended, by address.',
  },
} as const satisfies Record<string, Limit>

/** A name in {@link limits}. */
export type LimitName = keyof typeof limits

/** A limit whose failures all processes count together. */
export type SharedLimitName = {
  [K in LimitName]: (typeof limits)[K] extends { readonly shared: true } ? K : never
}[LimitName]

/** A shared limit whose failures a process adds several at a time. */
export type GatheredLimitName = {
  [K in LimitName]: (typeof limits)[K] extends { readonly gathered: number } ? K : never
}[LimitName]
