import type { Caller } from '../../caller.ts'
import type { ReplyOf } from '../../contract/api-operation.ts'
import type { keptAttributes } from '../../contract/issuance/kept-attributes.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { findPolicyOf, policyOf } from '../../directory/tenants/tenant-policy.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import { sealedJson } from '../../keys/sealed-column.ts'
import type { Sealing } from '../../keys/sealing.ts'
import type { Platform } from '../../platform.ts'
import { findAttributes } from './kept-attributes-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'memory'>

const claimsColumn = sealedJson<JsonObject>('issuance', 'sealed_claims')
const attributesColumn = sealedJson<JsonObject>('issuance_attributes', 'sealed_attributes')

/** Seals the attributes of an issuance to be kept for corrections; null where the organisation keeps none. */
export async function sealKeptAttributes(
  sealing: Sealing,
  tenant: Pick<Tenant, 'id' | 'settings'>,
  id: string,
  attributes: JsonObject,
): Promise<Buffer | null> {
  if (!policyOf(tenant).issuing.keepsAttributes) return null
  return attributesColumn.seal(sealing, tenant.id, id, attributes)
}

/**
 * Returns the attributes of an issuance, with an audit entry.
 *
 * @throws Fault `resource.unknown`; `state.invalid` if they were erased
 */
export async function readKeptAttributes(
  needs: Needs,
  caller: Caller,
  id: string,
): Promise<ReplyOf<typeof keptAttributes.get>> {
  const { store, sealing, clock } = needs
  const { tenantId } = caller
  const now = clock.now()
  const { issuing } = await findPolicyOf(needs, tenantId)
  const found = await store.single(tenantId, (tx) => findAttributes(tx, id, now))
  if (found === null) throw new Fault('resource.unknown')
  const { templateId: credentialTemplateId, sealedClaims, sealedAttributes } = found
  const sealed = sealedClaims ?? (issuing.keepsAttributes ? sealedAttributes : null)
  if (sealed === null) {
    const detail = 'The attributes have been erased, since the offer was taken or has ended.'
    throw new Fault('state.invalid', { detail })
  }
  const column = sealedClaims === null ? attributesColumn : claimsColumn
  const attributes = await column.open(sealing, tenantId, id, sealed)
  const entry = { action: 'issuance.attributes_viewed', subject: { kind: 'issuance', id }, by: caller } as const
  await store.single(tenantId, (tx) => record(tx, entry, now))
  return { credentialTemplateId, attributes }
}
