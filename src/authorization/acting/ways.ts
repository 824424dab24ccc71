import type { Role } from '../../caller.ts'
import type { AccountFacts } from '../../directory/accounts/account-facts.ts'

/** What else a way depends on: what a link was made with, and whether a provider names people. */
type WayContext = {
  /** Roles that the maker of the link could give; null: every role. */
  readonly makerRoles?: readonly Role[] | null
  readonly emailFolded?: string | null
  /** Whether the user could sign in when the link was made. */
  readonly couldSignIn?: boolean
  /** Whether the operator, or a caller who may act for users, set that the provider decides who its people are. */
  readonly namesPeople?: boolean
}

const inUse = ({ canSignIn, holds }: AccountFacts) => canSignIn || holds

/** Why an account is not opened. Each is a state of the account, or a change of it since a link was made. */
const reasons = {
  inactive: {
    sentence: 'the user is disabled or deleted',
    holds: ({ isActive }) => !isActive,
  },
  in_use: {
    sentence: 'the user can sign in, or the wallet holds something',
    holds: inUse,
  },
  can_sign_in: {
    sentence: 'the user can sign in',
    holds: ({ canSignIn }) => canSignIn,
  },
  unproven: {
    sentence: 'the same, and the provider does not name people',
    holds: (facts, { namesPeople }) => inUse(facts) && namesPeople !== true,
  },
  names_nobody: {
    sentence: 'the provider does not name people',
    holds: (_facts, { namesPeople }) => namesPeople !== true,
  },
  told_before: {
    sentence: 'the account was opened by a link that a caller of the API was told, so its user need not be this person',
    holds: ({ openedByToldLink }) => openedByToldLink,
  },
  new_address: {
    sentence: 'the e-mail address of an account in use was changed and not confirmed by the user',
    holds: (facts) => facts.emailIsNew && inUse(facts),
  },
  new_username: {
    sentence: 'the same for the username',
    holds: (facts) => facts.usernameIsNew && inUse(facts),
  },
  new_identifier: {
    sentence: 'the same for the external identifier',
    holds: (facts) => facts.externalIdentifierIsNew && inUse(facts),
  },
  role_gained: {
    sentence: 'the user has a role that the maker of the link could not give',
    holds: ({ roles }, { makerRoles }) => {
      if (makerRoles === undefined || makerRoles === null) return false
      return !roles.every((role) => makerRoles.includes(role))
    },
  },
  address_changed: {
    sentence: 'the e-mail address is another one than when the link was made',
    holds: ({ emailFolded }, context) => emailFolded !== (context.emailFolded ?? null),
  },
  signed_in_since: {
    sentence: 'the user could not sign in when the link was made, and can now',
    holds: ({ canSignIn }, { couldSignIn }) => canSignIn && couldSignIn !== true,
  },
} as const satisfies Record<
  string,
  { readonly sentence: string; readonly holds: (facts: AccountFacts, context: WayContext) => boolean }
>

/** Why a way is closed. */
export type ClosedReason = keyof typeof reasons

type WayRow = {
  readonly opens: string
  /** What the caller needs who prepares the way: a scope, or nothing that a caller of the API can have. */
  readonly needs: string
  readonly closedIf: readonly ClosedReason[]
}

/**
 * Every way by which a request comes to act as a user, and the states of the account in which the way is closed. A way
 * is checked when it is used, not only when it is prepared. An account in use is opened by its user's own proof
 * (password, passkey, an account at a provider that the user connected, a link to an address that the user has
 * confirmed), or by what only callers with `users:impersonate` or the operator can prepare.
 */
export const ways = {
  own_credential: {
    opens: 'A password or passkey of the user, or an account at a provider that is linked to the user.',
    needs: 'nothing: the user set it up',
    closedIf: ['inactive'],
  },
  mailed_link: {
    opens: 'An invitation that was mailed to the user.',
    needs: '`users:write`',
    closedIf: ['inactive', 'new_address', 'role_gained', 'address_changed', 'signed_in_since'],
  },
  reset_link: {
    opens: 'A link to set a new password, mailed at the request of a person.',
    needs: 'nothing: it goes to the address of the user',
    closedIf: ['inactive', 'new_address', 'address_changed'],
  },
  told_link: {
    opens:
      'An invitation that was told to the caller, to pass on; or the account that an offer made, for whoever has the ' +
      'link of the offer.',
    needs: '`users:write`; or an offer, for the account that it makes',
    closedIf: ['inactive', 'in_use', 'role_gained', 'address_changed'],
  },
  impersonated_link: {
    opens:
      'The same for a user who never signed in and whose wallet holds something. The user sees it on the account page.',
    needs: '`users:write` and `users:impersonate`',
    closedIf: ['inactive', 'can_sign_in', 'role_gained', 'address_changed'],
  },
  operator_link: {
    opens:
      'A link of `chirograph owner create`, or of the log of a server without owners. The user of an account in use ' +
      'sees it on the account page.',
    needs: 'the command line of the server',
    closedIf: ['inactive'],
  },
  provider_identifier: {
    opens:
      'A sign-in at a provider whose account is not linked yet, by the external identifier that it states. The user ' +
      'of an account in use sees it on the account page.',
    needs: '`tenant:admin`; to name users of accounts in use also `users:impersonate`, or the operator',
    closedIf: ['inactive', 'unproven', 'new_identifier'],
  },
  provider_email: {
    opens: 'The same, by the e-mail address that the provider has verified.',
    needs: '`tenant:admin`; to name users of accounts in use also `users:impersonate`, or the operator',
    closedIf: ['inactive', 'unproven', 'told_before', 'new_address'],
  },
  token_of_identifier: {
    opens:
      'An access token of a provider that names the user by the external identifier. The user sees it on the ' +
      'account page.',
    needs: '`tenant:admin` and `users:impersonate`, or the operator',
    closedIf: ['inactive', 'names_nobody', 'new_identifier'],
  },
  token_of_username: {
    opens: 'The same, by the username.',
    needs: '`tenant:admin` and `users:impersonate`, or the operator',
    closedIf: ['inactive', 'names_nobody', 'new_username'],
  },
  token_exchange: {
    opens: "Token exchange: a client acts in the user's wallet. The user sees it on the account page.",
    needs: '`users:impersonate`',
    closedIf: ['inactive', 'new_username'],
  },
} as const satisfies Record<string, WayRow>

/** A way in {@link ways}. */
export type Way = keyof typeof ways

/** Returns why a way to an account is closed at the moment; null: it is open. */
export function closedReason(way: Way, facts: AccountFacts, context: WayContext = {}): ClosedReason | null {
  return ways[way].closedIf.find((reason) => reasons[reason].holds(facts, context)) ?? null
}

/** Returns what a reason means, for the table in the documents. */
export function sentenceOf(reason: ClosedReason): string {
  return reasons[reason].sentence
}
