import type { SignIn, UserRequest } from '../../authorization/server/instance.ts'
import { findHeldClaims } from '../../authorization/sign-in/providers/held-claims.ts'
import type { ProviderSource } from '../../contract/issuance/credential-templates.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import { stepsOf } from '../../json-pointer.ts'
import type { Platform } from '../../platform.ts'
import { issuanceCheckOf } from '../issuances/issuance-refusal.ts'
import { attributesFrom, missingAttributes } from '../templates/attribute-source.ts'
import type { CredentialTemplate } from '../templates/template.ts'

/**
 * Returns the attributes of a credential from the claims of the user's sign-in; null if there are none: the user signed
 * in without a provider, or at another one than the template names.
 *
 * @throws Fault `claims.missing`, `claims.invalid` with the attributes in `meta`; those of `issuanceCheckOf` if nothing
 *   can be issued
 */
export async function providerAttributes(
  platform: Platform,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  session: Pick<SignIn, 'tenantId' | 'sessionId' | 'authenticatedAt'>,
  template: CredentialTemplate,
  source: ProviderSource,
): Promise<JsonObject | null> {
  const held = await findHeldClaims(platform, session)
  if (held === null || (source.provider !== undefined && held.provider !== source.provider)) return null
  const attributes = attributesFrom(source, held.claims)
  const missing = missingAttributes(template.definition, attributes)
  if (missing.length > 0) throw claimsFault('claims.missing', missing)
  const refusal = (await issuanceCheckOf(platform, tenant, template))(attributes)
  if (refusal === null) return attributes
  if (refusal.code !== 'attributes.rejected') throw new Fault('attributes.unavailable', { cause: refusal })
  const wrong = (refusal.violations ?? []).map(({ pointer = '' }) => stepsOf(pointer).slice(1).join('/'))
  throw claimsFault('claims.invalid', wrong)
}

/** Records a refusal of {@link providerAttributes} for the organisation. */
export async function recordRefusedClaims(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { session, ip, requestId }: Pick<UserRequest, 'session' | 'ip' | 'requestId'>,
  template: Pick<CredentialTemplate, 'id'>,
  { code, meta }: Fault,
): Promise<void> {
  const { tenantId, userId } = session
  const entry = {
    action: 'issuance.refused',
    subject: { kind: 'credential_template', id: template.id },
    by: { kind: 'user', id: userId, ip, requestId },
    result: 'refused',
    detail: { userId, cause: code === 'claims.missing' ? 'missing' : 'invalid', ...meta },
  } as const
  await store.single(tenantId, (tx) => record(tx, entry, clock.now()))
}

/** Whether a fault is about the claims of the user. */
export function isClaimsFault(error: unknown): error is Fault {
  return error instanceof Fault && (error.code === 'claims.missing' || error.code === 'claims.invalid')
}

const ATTRIBUTES_MAX = 20

function claimsFault(code: 'claims.missing' | 'claims.invalid', attributes: readonly string[]): Fault {
  const named = [...new Set(attributes)].slice(0, ATTRIBUTES_MAX)
  const what = code === 'claims.missing' ? 'does not state' : 'states in another form'
  const detail = `The identity provider ${what}: ${named.join(', ')}.`
  return new Fault(code, { detail, meta: { attributes: named } })
}
