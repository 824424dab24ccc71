import { isRole, roles } from '../../caller.ts'
import { isJsonObject, type Json, type JsonObject, memberOf, parseJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { isForeignAddress } from '../../mail-address.ts'
import type { Resource } from '../../protocols/scim/patch.ts'
import { userSchema } from '../../protocols/scim/schema.ts'
import { displayName, type User, type UserChange } from '../users/user.ts'

const KNOWN_ROLES = Object.keys(roles).join(', ')

type GroupName = { readonly id: string; readonly displayName: string }

/** Returns a user as a SCIM resource. @param base Address of the SCIM service. */
export function showScimUser(user: User, groups: readonly GroupName[], base: string): Resource {
  const { id, username, email, firstName, lastName, enabled, externalIdentifier, shownName, emailType } = user
  const formatted = displayName(user)
  return {
    schemas: [userSchema.id],
    id,
    userName: username,
    externalId: externalIdentifier,
    ...((firstName !== null || lastName !== null) && {
      name: {
        formatted,
        ...(firstName !== null && { givenName: firstName }),
        ...(lastName !== null && { familyName: lastName }),
      },
    }),
    displayName: shownName ?? formatted,
    active: enabled,
    emails: email === null ? [] : [{ value: email, type: emailType ?? 'work', primary: true }],
    roles: user.roles.map((value, _, all) => ({ value, ...(all.length === 1 && { primary: true }) })),
    groups: groups.map((one) => ({ value: one.id, $ref: `${base}/Groups/${one.id}`, display: one.displayName })),
    meta: metaOf('User', user, `${base}/Users/${id}`),
  }
}

/** Returns `meta` of a resource. */
export function metaOf(
  resourceType: string,
  { createdAt, updatedAt, version }: { readonly createdAt: Date; readonly updatedAt: Date; readonly version: number },
  location: string,
) {
  const times = { created: createdAt.toISOString(), lastModified: updatedAt.toISOString() }
  return { resourceType, ...times, location, version: versionTag(version) }
}

/** Returns the entity tag of a version. */
export function versionTag(version: number): string {
  return `W/"${version}"`
}

/**
 * Returns the version that an entity tag of a caller names.
 *
 * @throws Fault `resource.changed` for a tag that no resource has
 */
export function readVersionTag(tag: string): number {
  const version = /^(?:W\/)?"(\d{1,9})"$/.exec(tag)?.[1]
  if (version === undefined) throw new Fault('resource.changed')
  return Number(version)
}

/**
 * Returns the user that a resource describes. Texts that the resource lacks are cleared; whether the user is active,
 * and the roles, stay. Of several e-mail addresses the primary one is kept, else the first.
 *
 * @throws Fault `scim.invalid_value`
 */
export function readScimUser(resource: Resource): UserChange & { readonly username: string } {
  const { userName, name, emails } = resource
  if (typeof userName !== 'string' || userName === '') throw invalid('userName is needed.')
  const parts = isJsonObject(name) ? name : {}
  const email = emailOf(emails)
  const given = textOf(parts.givenName, 'name.givenName', 200)
  const family = textOf(parts.familyName, 'name.familyName', 200)
  const shown = textOf(resource.displayName, 'displayName', 400)
  const byDefault = [given, family].filter((one) => one !== null).join(' ')
  return {
    username: textOf(userName, 'userName', 255) ?? '',
    email: email.value,
    emailType: email.type,
    firstName: given,
    lastName: family,
    shownName: shown === byDefault || shown === userName ? null : shown,
    externalIdentifier: textOf(resource.externalId, 'externalId', 255),
    // An identity system that says nothing of these does not manage them.
    enabled: typeof resource.active === 'boolean' ? resource.active : undefined,
    roles: resource.roles === undefined ? undefined : rolesOf(resource.roles),
  }
}

function emailOf(emails: Json | undefined): { value: string | null; type: string | null } {
  const list = Array.isArray(emails) ? emails.filter(isJsonObject).filter(hasValue) : []
  const chosen = list.find((one) => one.primary === true) ?? list[0]
  if (chosen === undefined) return { value: null, type: null }
  const value = textOf(chosen.value, 'emails.value', 320)
  if (value !== null && !isForeignAddress(value)) throw invalid('emails.value is no e-mail address.')
  return { value, type: textOf(memberOf(chosen, 'type'), 'emails.type', 40) }
}

/** Clients send elements without a text, e.g. a work address that a person does not have. */
function hasValue({ value }: JsonObject): boolean {
  return (value ?? '') !== ''
}

function rolesOf(value: Json | undefined): string[] {
  // What is left of a role whose `value` was removed, as by Entra ID, is none.
  const list = (Array.isArray(value) ? value : []).filter((one) => !isJsonObject(one) || hasValue(one))
  const names = list.map((one) => roleIn(isJsonObject(one) ? one.value : one))
  const unknown = names.find((one) => typeof one !== 'string' || !isRole(one))
  if (unknown !== undefined)
    throw invalid(`roles: ${String(unknown).slice(0, 80)} is no role here. Send ${KNOWN_ROLES}, or none.`)
  return [...new Set(names.filter((one) => typeof one === 'string'))]
}

/** Entra ID sends an assignment of an application role as the JSON text of an object. */
function roleIn(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !value.startsWith('{')) return value
  try {
    return parseJsonObject(value).value
  } catch (error) {
    if (!(error instanceof Fault) && !(error instanceof SyntaxError)) throw error
    return value
  }
}

/** Returns a text within its limit; null for an empty one. @throws Fault `scim.invalid_value` */
export function textOf(value: Json | undefined, name: string, charsMax: number): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string' || value.length > charsMax || value.includes('\0')) {
    throw invalid(`${name} is a text of at most ${charsMax} characters, without U+0000.`)
  }
  return value
}

function invalid(detail: string): Fault {
  return new Fault('scim.invalid_value', { detail })
}
