import { type Caller, holds } from '../../caller.ts'
import { checkRoles } from '../../directory/users/authority.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { record } from '../../events/audit/record.ts'
import { Fault, type Violation } from '../../fault.ts'
import { type AddressPolicy, vettedUrl } from '../../http/outbound/vetted-address.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { violatedIndex } from '../../store/unique-violation.ts'
import { type IdentityProvider, providerSecretPlace, STANDARD_CLAIMS } from './identity-provider.ts'
import { findProviderById, type ProviderPut, putProvider } from './identity-provider-store.ts'
import {
  countProviders,
  deleteProvider,
  findManagedProvider,
  lockProvider,
  type ManagedProvider,
} from './managed-provider-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing' | 'config' | 'urls'>

/** What a body gives. `clientSecret` null: a public client, which has none. */
type GivenProvider = {
  readonly [K in Exclude<keyof ProviderPut, 'id' | 'claims' | 'sealedClientSecret'>]?: ProviderPut[K] | undefined
} & {
  readonly claims?:
    | { readonly [K in keyof IdentityProvider['claims']]?: IdentityProvider['claims'][K] | undefined }
    | undefined
  readonly clientSecret?: string | null | undefined
}

/** As in the bootstrap file. */
const PROVIDERS_MAX = 50
const defaults = {
  claims: STANDARD_CLAIMS,
  scopes: ['openid', 'profile', 'email'],
  roles: {},
  audience: null,
  createsUsers: false,
  signIn: true,
  acceptTokens: false,
  sealedClientSecret: null,
}

/** Creates a provider. @throws Fault `request.invalid`, `role.above_caller`, `state.conflict` */
export async function createProvider(
  needs: Needs,
  caller: Caller,
  given: GivenProvider & Pick<ProviderPut, 'name' | 'issuer' | 'clientId'>,
  id: string,
): Promise<ManagedProvider> {
  const secret = await sealed(needs, caller, id, given.clientSecret)
  const first = {
    ...defaults,
    namesPeople: holds(caller, 'users:impersonate'),
    id,
    name: given.name,
    displayName: given.name,
    issuer: given.issuer,
    clientId: given.clientId,
  }
  const provider = merged(first, given, secret)
  check(needs, caller, provider, given, true)
  checkNaming(caller, provider)
  return needs.store.inTenant(caller.tenantId, async (tx) => {
    if ((await countProviders(tx)) >= PROVIDERS_MAX) {
      const detail = `A tenant can have at most ${PROVIDERS_MAX} identity providers.`
      throw new Fault('state.conflict', { violations: [{ detail, rule: 'maxItems', limit: PROVIDERS_MAX }] })
    }
    return write(tx, needs, caller, provider)
  })
}

/** @throws Fault `resource.unknown` */
export async function getProvider({ store }: Needs, caller: Caller, id: string): Promise<ManagedProvider> {
  const found = await store.single(caller.tenantId, (tx) => findManagedProvider(tx, id))
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/**
 * Changes the members that are given, except the name.
 *
 * @param isExpected Whether the provider is still the one that the change was made from; every state by default.
 * @throws Fault `resource.unknown`, `resource.changed`, `request.invalid`, `role.above_caller`, `state.conflict`
 */
export async function changeProvider(
  needs: Needs,
  caller: Caller,
  id: string,
  given: GivenProvider,
  isExpected?: (current: IdentityProvider) => boolean,
): Promise<ManagedProvider> {
  const secret = await sealed(needs, caller, id, given.clientSecret)
  return needs.store.inTenant(caller.tenantId, async (tx) => {
    await lockProvider(tx, id)
    const known = await findProviderById(tx, id)
    if (known === null) throw new Fault('resource.unknown')
    if (isExpected?.(known) === false) throw new Fault('resource.changed')
    const provider = merged(known, given, secret)
    check(needs, caller, provider, given, isClaimChanged(known, provider))
    if (isNamingChanged(known, provider)) checkNaming(caller, provider)
    return write(tx, needs, caller, provider)
  })
}

/** Deletes a provider with the links of users to their accounts at it. @throws Fault `resource.unknown` */
export async function removeProvider({ store, clock }: Needs, caller: Caller, id: string): Promise<void> {
  const entry = entryOf('deleted', id, caller)
  const isDeleted = await store.inTenant(caller.tenantId, (tx) => deleteProvider(tx, id, entry, clock.now()))
  if (!isDeleted) throw new Fault('resource.unknown')
}

/** undefined: the secret stays as it is. */
async function sealed({ sealing }: Needs, { tenantId }: Caller, id: string, secret: string | null | undefined) {
  if (secret === undefined || secret === null) return secret
  return sealing.seal(providerSecretPlace({ tenantId, id }), secret)
}

function merged(known: ProviderPut, given: GivenProvider, secret: Buffer | null | undefined): ProviderPut {
  const { clientSecret: _, name: __, claims, ...rest } = given
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const sealedClientSecret = secret === undefined ? known.sealedClientSecret : secret
  // A claim that is not named keeps its name.
  const names = Object.entries(claims ?? {}).filter(([, value]) => value !== undefined)
  return { ...known, ...present, claims: { ...known.claims, ...Object.fromEntries(names) }, sealedClientSecret }
}

/**
 * @param given The issuer is checked where it is given: a provider whose issuer is no longer callable can be changed
 *   otherwise.
 * @param isClaimed Whether issuer and audience are claimed anew.
 * @throws Fault as {@link createProvider}
 */
function check(needs: Needs, caller: Caller, provider: ProviderPut, given: GivenProvider, isClaimed: boolean): void {
  const { roles, acceptTokens, audience } = provider
  checkRoles(caller, Object.values(roles).flat())
  const violations = issuerViolations(given, needs.config)
  if (acceptTokens && audience === null) {
    violations.push({ pointer: '/audience', detail: 'acceptTokens needs it.', rule: 'provider.audience_needed' })
  }
  if (isClaimed) violations.push(...claimViolations(needs, caller, provider))
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
}

/** Returns the violations of the issuer, if it is given: its form, and an address that is never called. */
export function issuerViolations(
  { issuer }: Pick<GivenProvider, 'issuer'>,
  config: AddressPolicy & Pick<Needs['config'], 'publicUrl'>,
): Violation[] {
  if (issuer === undefined) return []
  if (!isIssuer(issuer, config.isDevelopment)) {
    const form = 'Must be an https URL with a host, without user, query and fragment. In development http too.'
    return [{ pointer: '/issuer', detail: form, rule: 'provider.issuer' }]
  }
  const detail = uncallable(issuer, config)
  return detail === null ? [] : [{ pointer: '/issuer', detail, rule: 'address.uncallable' }]
}

/** Returns why an issuer can never be called; null for one that can, and for one of this server. */
function uncallable(issuer: string, config: Parameters<typeof issuerViolations>[1]): string | null {
  if (new URL(issuer).origin === config.publicUrl) return null
  try {
    vettedUrl(issuer, config)
    return null
  } catch (error) {
    if (error instanceof Fault) return error.detail ?? ''
    throw error
  }
}

function isClaimChanged(known: ProviderPut, { issuer, audience, acceptTokens }: ProviderPut): boolean {
  return known.issuer !== issuer || known.audience !== audience || known.acceptTokens !== acceptTokens
}

/**
 * Issuer and audience of a token name its organisation, so an organisation must not claim those of another one first.
 * An audience that the API sets therefore names the organisation that sets it; the bootstrap file, which the operator
 * writes, sets any.
 */
function claimViolations(
  { urls }: Needs,
  { tenantId, tenantSlug }: Caller,
  { acceptTokens, audience }: ProviderPut,
): Violation[] {
  const issuer = urls.issuer(tenantSlug)
  if (!acceptTokens || audience === null || audience === issuer || audience.includes(tenantId)) return []
  const detail = `Must be ${issuer} or contain ${tenantId}, so that no organisation claims the tokens of another. The bootstrap file can set any other audience.`
  return [{ pointer: '/audience', detail, rule: 'provider.audience_own' }]
}

/** Whether a change decides anew which person is which user. */
function isNamingChanged(known: ProviderPut, provider: ProviderPut): boolean {
  const naming = ({ issuer, clientId, claims, acceptTokens, audience, namesPeople }: ProviderPut) =>
    JSON.stringify([
      issuer,
      clientId,
      claims.email,
      claims.externalIdentifier,
      claims.username,
      acceptTokens,
      audience,
      namesPeople,
    ])
  return naming(known) !== naming(provider)
}

/** A provider that names people acts as each of them: a caller who sets it up must be one who may. */
function checkNaming(caller: Caller, { namesPeople, acceptTokens }: ProviderPut): void {
  if (holds(caller, 'users:impersonate') || (!namesPeople && !acceptTokens)) return
  const detail =
    'A provider that names people, or whose access tokens are accepted, decides who is signed in: it needs ' +
    'users:impersonate, or the operator.'
  throw new Fault('role.above_caller', {
    violations: [{ pointer: '/namesPeople', detail, rule: 'provider.names_people' }],
  })
}

/** OpenID Connect Discovery 1.0, 2. */
function isIssuer(text: string, isDevelopment: boolean): boolean {
  if (!URL.canParse(text) || /[?#\s]/.test(text)) return false
  const { protocol, username, password } = new URL(text)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isDevelopment)
  return isSafe && username === '' && password === ''
}

async function write(tx: TenantTx, { clock }: Needs, caller: Caller, provider: ProviderPut): Promise<ManagedProvider> {
  const now = clock.now()
  const what = await putProvider(tx, provider, now).catch(refuseTaken)
  await record(tx, entryOf(what, provider.id, caller), now)
  const written = await findManagedProvider(tx, provider.id)
  if (written === null) throw new Error('a provider that was written is not there')
  return written
}

function refuseTaken(error: unknown): never {
  const index = violatedIndex(error)
  if (index === null) throw error
  const [pointer, detail] =
    index === 'identity_provider_tokens'
      ? ['/audience', 'Access tokens of this issuer with this audience belong to another provider.']
      : ['/name', 'Another provider has this name.']
  throw new Fault('state.conflict', { violations: [{ pointer, detail, rule: 'unique' }] })
}

function entryOf(what: 'created' | 'changed' | 'deleted', id: IdentityProvider['id'], by: Caller): AuditEntry {
  return { action: `identity_provider.${what}`, subject: { kind: 'identity_provider', id }, by }
}
