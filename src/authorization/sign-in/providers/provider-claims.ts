import type { Role } from '../../../caller.ts'
import type { JsonObject } from '../../../crypto/json.ts'
import { isForeignAddress } from '../../../mail-address.ts'
import type { IdentityProvider } from '../../access/identity-provider.ts'
import { claimOf, mappedRoles, oneTextOf } from '../../access/provider-claim.ts'
import { InvalidSubject } from './failure-reason.ts'

/** A person as a provider describes them. */
export type ExternalPerson = {
  readonly subject: string
  readonly username: string | null
  /** Only if the provider has verified it. */
  readonly verifiedEmail: string | null
  /** Whether there is an address, and the provider does not say that it has verified it. */
  readonly hasUnverifiedEmail: boolean
  readonly firstName: string | null
  readonly lastName: string | null
  readonly externalIdentifier: string | null
  /** null: the provider says nothing about roles. */
  readonly roles: readonly Role[] | null
  /** Whether the UserInfo endpoint gave what it has, so that what is missing is not there. */
  readonly isComplete: boolean
}

const NAMES = ['given_name', 'family_name']
const SUBJECT = /^[\x20-\x7e]{1,255}$/

/**
 * Whether a claim that is used is missing from the ID token, so that it may be among the claims of the UserInfo
 * endpoint.
 */
export function lacksClaims({ claims }: IdentityProvider, idToken: JsonObject): boolean {
  const names = [claims.username, claims.email, claims.roles, claims.externalIdentifier]
  return names.some((name) => name !== null && claimOf(idToken, name) === undefined)
}

/** Whether a user who is created would have no name by the ID token: UserInfo may have it, as that of Entra ID does. */
export function lacksNames({ createsUsers }: IdentityProvider, idToken: JsonObject): boolean {
  return createsUsers && NAMES.every((name) => claimOf(idToken, name) === undefined)
}

/**
 * Whether the ID token has the claims by which a person becomes a user: the username, and the identifier if it is used.
 */
export function namesPerson({ claims }: IdentityProvider, idToken: JsonObject): boolean {
  const names = [claims.username, claims.externalIdentifier]
  return names.every((name) => name === null || claimOf(idToken, name) !== undefined)
}

/**
 * Reads what a provider says about a person. A claim of the ID token goes before the same one of UserInfo, and
 * `email_verified` counts only beside its e-mail address.
 *
 * @param stated Claims of the UserInfo endpoint, of the same subject; null: it failed.
 */
export function readExternalPerson(
  provider: IdentityProvider,
  idToken: JsonObject,
  stated: JsonObject | null,
): ExternalPerson {
  const { claims } = provider
  const userInfo = stated ?? {}
  const { sub } = idToken
  // OpenID Connect Core 1.0, 2: at most 255 ASCII characters
  if (typeof sub !== 'string' || !SUBJECT.test(sub)) throw new InvalidSubject()
  const text = (name: string | null, max: number) => {
    if (name === null) return null
    const value = oneTextOf(claimOf(idToken, name) ?? claimOf(userInfo, name))
    const found = value?.normalize('NFC').replaceAll('\0', '').trim() ?? ''
    return found === '' || found.length > max ? null : found
  }
  const email = verifiedEmail(claims.email, idToken) ?? verifiedEmail(claims.email, userInfo)
  return {
    subject: sub,
    username: text(claims.username, 255),
    verifiedEmail: email,
    hasUnverifiedEmail: email === null && text(claims.email, 320) !== null,
    firstName: text('given_name', 200),
    lastName: text('family_name', 200),
    externalIdentifier: text(claims.externalIdentifier, 255),
    roles: mappedRoles(provider, idToken, userInfo),
    isComplete: stated !== null,
  }
}

function verifiedEmail(name: string, source: JsonObject): string | null {
  const email = oneTextOf(claimOf(source, name))
  // Amazon Cognito, JumpCloud and Apple write the boolean as a text. Other texts say nothing certain.
  const isVerified = source.email_verified === true || source.email_verified === 'true'
  if (email === null || !isVerified) return null
  return isForeignAddress(email) ? email : null
}
