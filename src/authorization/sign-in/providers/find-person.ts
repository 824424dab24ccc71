import type { UserId } from '../../../caller.ts'
import { lockFacts } from '../../../directory/accounts/account-facts.ts'
import { findUser } from '../../../directory/users/find-user.ts'
import { createExternalUser, setUserRoles, setVerifiedEmail } from '../../../directory/users/sign-in-users.ts'
import { record } from '../../../events/audit/record.ts'
import type { TenantTx } from '../../../store/store.ts'
import { type IdentityProvider, providerActorId } from '../../access/identity-provider.ts'
import { closedReason, type Way } from '../../acting/ways.ts'
import { actorOf, type Visit } from '../visit.ts'
import { findExternalIdentity, insertExternalIdentity } from './external-identity-store.ts'
import type { ExternalPerson } from './provider-claims.ts'

/**
 * Why a person is not signed in: nobody here is known as them; what they would be known by belongs to another user;
 * the way to that user's account is closed (`acting/ways.ts`); or the provider did not say all that they are known by.
 */
export type PersonProblem = 'unknown' | 'taken' | 'unproven' | 'unavailable'

/**
 * Returns the user who is this person: by the account at the provider; else by the external identifier or the verified
 * e-mail address, if that way to the account is open, and then the account at the provider is linked; else a new user,
 * if the provider is set so. Never by an address that the provider has not verified, and never a user who has another
 * account at the provider. Whether the user may sign in is NOT checked.
 *
 * @param connectTo The signed-in user who connects the account at the provider: this one or nobody.
 *
 * Throws {@link PersonRefused}, so that nothing of the transaction stays.
 */
export async function findOrCreatePerson(
  tx: TenantTx,
  provider: IdentityProvider,
  person: ExternalPerson,
  visit: Visit,
  now: Date,
  connectTo: UserId | null = null,
): Promise<UserId> {
  const account = { providerId: provider.id, subject: person.subject }
  const linked = await findExternalIdentity(tx, account)
  if (connectTo !== null && linked !== null && linked !== connectTo) throw new PersonRefused('taken', 'taken')
  // By a part of the claims another user could be created for a person who has one here.
  if (linked === null && connectTo === null && !person.isComplete) throw new PersonRefused('unavailable', 'userinfo')
  const found = linked ?? connectTo ?? (await findByClaims(tx, provider, person, visit, now))
  const userId = found ?? (await create(tx, provider, person, now))
  if (linked === null) {
    if (!(await insertExternalIdentity(tx, account, userId, now))) throw new PersonRefused('taken', 'taken')
    const entry = {
      action: 'identity_provider.linked',
      subject: { kind: 'identity_provider', id: provider.id },
    } as const
    await record(tx, { ...entry, by: actorOf(userId, visit), detail: { userId } }, now)
  }
  if (person.verifiedEmail !== null) await setVerifiedEmail(tx, userId, person.verifiedEmail)
  if (person.roles !== null) await setUserRoles(tx, userId, person.roles, now)
  else if (provider.claims.roles !== null) {
    const entry = { action: 'user.roles_retained', subject: { kind: 'user', id: userId } } as const
    await record(tx, { ...entry, by: actorOf(userId, visit), detail: { identityProviderId: provider.id } }, now)
  }
  return userId
}

async function findByClaims(
  tx: TenantTx,
  provider: IdentityProvider,
  { externalIdentifier, verifiedEmail }: ExternalPerson,
  visit: Visit,
  now: Date,
): Promise<UserId | null> {
  const byIdentifier = externalIdentifier === null ? null : await findUser(tx, 'externalIdentifier', externalIdentifier)
  if (byIdentifier !== null) return openBy(tx, 'provider_identifier', byIdentifier.id, provider, visit, now)
  const byEmail = verifiedEmail === null ? null : await findUser(tx, 'email', verifiedEmail)
  return byEmail === null ? null : openBy(tx, 'provider_email', byEmail.id, provider, visit, now)
}

/** Returns the user. That a provider names the user of an account in use is recorded, and the user is told. */
async function openBy(
  tx: TenantTx,
  way: Way,
  userId: UserId,
  provider: IdentityProvider,
  { ip, requestId }: Visit,
  now: Date,
): Promise<UserId> {
  const facts = await lockFacts(tx, userId)
  const reason = facts === null ? 'inactive' : closedReason(way, facts, provider)
  // The sign-in says itself that a user is disabled.
  if (reason !== null && reason !== 'inactive') throw new PersonRefused('unproven', reason, userId)
  if (facts !== null && closedReason(way, facts, { namesPeople: false }) === 'unproven') {
    const by = { kind: 'client', id: providerActorId(provider), ip, requestId } as const
    const subject = { kind: 'user', id: userId } as const
    await record(tx, { action: 'user.impersonated', subject, by, detail: { way } }, now)
  }
  return userId
}

async function create(tx: TenantTx, provider: IdentityProvider, person: ExternalPerson, now: Date): Promise<UserId> {
  if (!provider.createsUsers)
    throw new PersonRefused('unknown', person.hasUnverifiedEmail ? 'unverified_address' : 'unknown')
  const { verifiedEmail: email, firstName, lastName, externalIdentifier, roles } = person
  const username = person.username ?? email ?? `${provider.name}:${person.subject}`.slice(0, 255)
  const user = { username, email, firstName, lastName, externalIdentifier, roles: roles ?? [] }
  const id = await createExternalUser(tx, user, now)
  if (id === null) throw new PersonRefused('taken', 'taken')
  return id
}

/** Ends the transaction of a person who is not signed in. `reason` and `userId` are for the audit trail. */
export class PersonRefused extends Error {
  readonly problem: PersonProblem
  readonly reason: string
  readonly userId: UserId | null

  constructor(problem: PersonProblem, reason: string, userId: UserId | null = null) {
    super(problem)
    this.problem = problem
    this.reason = reason
    this.userId = userId
  }
}
