import { isDeepStrictEqual } from 'node:util'
import type { TenantId } from '../../caller.ts'
import {
  type Bootstrap,
  BootstrapMistakes,
  type IdentityProviderEntry,
} from '../../directory/bootstrap/bootstrap-file.ts'
import { findTenant } from '../../directory/tenants/find-tenant.ts'
import { record } from '../../events/audit/record.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { isUniqueViolation, violatedIndex } from '../../store/unique-violation.ts'
import { type IdentityProvider, providerSecretPlace, STANDARD_CLAIMS } from './identity-provider.ts'
import { findProviderByName, type ProviderPut, putProvider } from './identity-provider-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'sealing'>

const STANDARD_SCOPES = ['openid', 'profile', 'email']

/**
 * Applies the identity providers of a bootstrap file, after its tenants: creates what is missing, changes what differs,
 * and leaves alone what the file does not mention. Idempotent. Each change is recorded in the audit trail.
 *
 * @throws BootstrapMistakes if issuer and audience of a provider belong to another one
 */
export async function applyIdentityProviders(needs: Needs, { tenants }: Bootstrap): Promise<void> {
  for (const [t, { slug, identityProviders = [] }] of tenants.entries()) {
    const tenant = identityProviders.length === 0 ? null : await findTenant(needs, slug)
    if (tenant === null) continue
    for (const [p, entry] of identityProviders.entries()) {
      const refuse = refuseTaken(`/tenants/${t}/identityProviders/${p}`)
      // Another process that applies the same file may create it first.
      await applyOne(needs, tenant.id, entry).catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error
        return applyOne(needs, tenant.id, entry).catch(refuse)
      })
    }
  }
}

/**
 * Returns what says that issuer and audience belong to another provider.
 *
 * @param at Where the file declares the one that is refused.
 */
function refuseTaken(at: string): (error: unknown) => never {
  return (error) => {
    if (violatedIndex(error) !== 'identity_provider_tokens') throw error
    const detail = 'access tokens of this issuer with this audience belong to another provider. Change one of the two'
    throw new BootstrapMistakes([`${at}/audience: ${detail}.`])
  }
}

async function applyOne(needs: Needs, tenantId: TenantId, entry: IdentityProviderEntry): Promise<void> {
  const { store, clock, sealing } = needs
  const known = await store.single(tenantId, (tx) => findProviderByName(tx, entry.name))
  const id = known?.id ?? newId()
  const place = providerSecretPlace({ tenantId, id })
  const secret = known?.sealedClientSecret ? (await sealing.open(place, known.sealedClientSecret)).toString() : null
  const wanted = entry.clientSecret ?? null
  const isSameSecret = known !== null && secret === wanted
  if (known !== null && isSameSecret && isDeepStrictEqual(valuesOf(known), valuesOf(putOf(entry, id, null)))) return
  const kept = isSameSecret ? known.sealedClientSecret : null
  const sealed = kept ?? (wanted === null ? null : await sealing.seal(place, wanted))
  const now = clock.now()
  await store.inTenant(tenantId, async (tx) => {
    const what = await putProvider(tx, putOf(entry, id, sealed), now)
    const subject = { kind: 'identity_provider', id } as const
    await record(tx, { action: `identity_provider.${what}`, subject, by: 'system' }, now)
  })
}

function putOf(entry: IdentityProviderEntry, id: string, sealedClientSecret: Buffer | null): ProviderPut {
  return {
    id,
    sealedClientSecret,
    name: entry.name,
    displayName: entry.displayName ?? entry.name,
    issuer: entry.issuer,
    clientId: entry.clientId,
    scopes: entry.scopes ?? STANDARD_SCOPES,
    claims: { ...STANDARD_CLAIMS, ...entry.claims },
    roles: entry.roles ?? {},
    createsUsers: entry.createsUsers ?? false,
    signIn: entry.signIn ?? true,
    acceptTokens: entry.acceptTokens ?? false,
    audience: entry.audience ?? null,
    // The operator writes the file.
    namesPeople: entry.namesPeople ?? true,
  }
}

/** What the file decides, without the secret. */
function valuesOf(one: ProviderPut | IdentityProvider) {
  const { name, displayName, issuer, clientId, scopes, createsUsers, signIn, acceptTokens, audience, namesPeople } = one
  const uses = { createsUsers, signIn, acceptTokens, audience, namesPeople }
  const described = { name, displayName, issuer, clientId, scopes, ...uses }
  // Copied, because parsed JSON has no prototype.
  return { ...described, claims: { ...one.claims }, roles: { ...one.roles } }
}
