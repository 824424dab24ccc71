import type { UserId } from '../../../caller.ts'
import { findUser } from '../../../directory/users/find-user.ts'
import { createExternalUser, findSignInUser, setUserRoles } from '../../../directory/users/sign-in-users.ts'
import { record } from '../../../events/audit/record.ts'
import type { TenantTx } from '../../../store/store.ts'
import type { IdentityProvider } from '../../access/identity-provider.ts'
import { actorOf, type Visit } from '../visit.ts'
import { isMailable } from './can-sign-in.ts'
import { findExternalIdentity, insertExternalIdentity } from './external-identity-store.ts'
import type { ExternalPerson } from './provider-claims.ts'

/** Why a person is not signed in: nobody here is known as them, or what they would be known by belongs to another user. */
export type PersonProblem = 'unknown' | 'taken'

/**
 * Returns the user who is this person: by the account at the provider; else by the external identifier or the verified e-mail address, and
 * then the account is linked; else a new user, if the provider is set so. Never by an address that the provider has not verified, and never
 * a user who has another account at the provider. Whether the user may sign in is NOT checked.
 *
 * Throws {@link PersonRefused}, so that nothing of the transaction stays.
 */
export async function findOrCreatePerson(
  tx: TenantTx,
  provider: IdentityProvider,
  person: ExternalPerson,
  visit: Visit,
  now: Date,
): Promise<UserId> {
  const account = { providerId: provider.id, subject: person.subject }
  const linked = await findExternalIdentity(tx, account)
  const userId = linked ?? (await findByClaims(tx, person)) ?? (await create(tx, provider, person, now))
  if (linked === null) {
    if (!(await insertExternalIdentity(tx, account, userId, now))) throw new PersonRefused('taken')
    const entry = {
      action: 'identity_provider.linked',
      subject: { kind: 'identity_provider', id: provider.id },
    } as const
    await record(tx, { ...entry, by: actorOf(userId, visit), detail: { userId } }, now)
  }
  if (person.roles !== null) await setUserRoles(tx, userId, person.roles, now)
  return userId
}

async function findByClaims(
  tx: TenantTx,
  { externalIdentifier, verifiedEmail }: ExternalPerson,
): Promise<UserId | null> {
  const byIdentifier = externalIdentifier === null ? null : await findUser(tx, 'externalIdentifier', externalIdentifier)
  if (byIdentifier !== null) return byIdentifier.id
  const byEmail = verifiedEmail === null ? null : await findUser(tx, 'email', verifiedEmail)
  if (byEmail === null) return null
  const user = await findSignInUser(tx, byEmail.id)
  // The provider vouches for the person's address, and nobody for it being that of the user.
  if (user !== null && (user.openedByToldLink || !(await isMailable(tx, user)))) throw new PersonRefused('taken')
  return byEmail.id
}

async function create(tx: TenantTx, provider: IdentityProvider, person: ExternalPerson, now: Date): Promise<UserId> {
  if (!provider.createsUsers) throw new PersonRefused('unknown')
  const { verifiedEmail: email, firstName, lastName, externalIdentifier, roles } = person
  const username = person.username ?? email ?? `${provider.name}:${person.subject}`.slice(0, 255)
  const user = { username, email, firstName, lastName, externalIdentifier, roles: roles ?? [] }
  const id = await createExternalUser(tx, user, now)
  if (id === null) throw new PersonRefused('taken')
  return id
}

/** Ends the transaction of a person who is not signed in. */
export class PersonRefused extends Error {
  readonly problem: PersonProblem

  constructor(problem: PersonProblem) {
    super(problem)
    this.problem = problem
  }
}
