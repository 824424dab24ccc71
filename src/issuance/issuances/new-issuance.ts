import type { TenantId, UserId } from '../../caller.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Actor, AuditEntry } from '../../events/audit/entry.ts'
import type { Platform } from '../../platform.ts'
import { timeOfId } from '../../store/row-id.ts'
import { sealKeptAttributes } from '../kept-attributes/kept-attributes.ts'
import { offerLifetime } from '../offers/offer-lifetime.ts'
import { makeTxCode, txCodeMac } from '../offers/tx-code.ts'
import { type CredentialTemplate, txCodeOf } from '../templates/template.ts'
import type { OwnValidity } from '../templates/validity.ts'
import { credentialIdOf } from './credential-id.ts'
import type { Issuance } from './issuance.ts'
import type { NewIssuanceRow } from './issuance-store.ts'
import { sealLabel } from './label.ts'

type Needs = Pick<Platform, 'sealing' | 'clock' | 'config' | 'store' | 'memory'>

/** What an issuance is made of. */
type IssuanceInput = OwnValidity & {
  readonly id: string
  readonly attributes: JsonObject
  readonly reference?: string | undefined
  readonly expiresInSeconds?: number | undefined
  /** The link of the offer is mailed. */
  readonly isMailed?: boolean
  /** The user who may get it by signing in; null: the offer has the pre-authorized code only. */
  readonly recipientId: UserId | null
  /** The pre-authorized code is not accepted. */
  readonly codeOnly: boolean
  /** The credential whose place it takes. */
  readonly replaces?: Issuance['replaces']
  /** The user whose wallet it is delivered to. */
  readonly holderId?: UserId | undefined
}

/** An issuance to insert: its row with sealed claims, its audit entry, and its transaction code, which no row has. */
type MadeIssuance = {
  readonly issuance: Issuance
  readonly row: NewIssuanceRow
  readonly txCode: string | null
  readonly entryBy: (by: Actor) => AuditEntry
}

/** Makes an issuance from a template. Writes nothing; the attributes are NOT checked here. */
export async function newIssuance(
  needs: Needs,
  tenantId: TenantId,
  template: CredentialTemplate,
  input: IssuanceInput,
): Promise<MadeIssuance> {
  const { sealing, clock, config } = needs
  const { recipientId, codeOnly } = input
  const tenant = await findTenantOf(needs, tenantId)
  const ttlSeconds = offerLifetime(config, tenant, input.expiresInSeconds, input.isMailed === true)
  const { sealedLabel, wordMacs } = await sealLabel(sealing, tenantId, input.id, template.definition, input.attributes)
  const issuance = { ...offered(template, input, clock.now(), ttlSeconds), sealedLabel }
  const place = { tenantId, table: 'issuance', column: 'sealed_claims', row: issuance.id }
  const sealedClaims = await sealing.seal(place, JSON.stringify(input.attributes))
  const sealedAttributes =
    tenant === null ? null : await sealKeptAttributes(sealing, tenant, issuance.id, input.attributes)
  // A transaction code protects the pre-authorized code only.
  const format = codeOnly ? null : txCodeOf(template.definition)
  const txCode = format === null ? null : await makeTxCode(sealing, tenantId, issuance.id, format)
  const mac = txCode === null ? null : await txCodeMac(sealing, tenantId, issuance.id, txCode)
  const subject = { kind: 'issuance', id: issuance.id } as const
  const { replaces } = issuance
  const detail = {
    credentialId: credentialIdOf(issuance.id),
    credentialTemplateId: template.id,
    ...(replaces !== null && { replaces: credentialIdOf(replaces.id) }),
  }
  return {
    issuance,
    row: {
      issuance,
      templateVersion: template.version,
      sealedClaims,
      wordMacs,
      sealedAttributes,
      txCodeMac: mac,
      recipientId,
      codeOnly,
    },
    txCode,
    entryBy: (by) => ({ action: 'openid4vc.issuance.offered', subject, by, detail }),
  }
}

function offered(template: CredentialTemplate, input: IssuanceInput, now: Date, ttlSeconds: number): Issuance {
  return {
    id: input.id,
    status: 'offered',
    error: null,
    credentialStatus: 'offered',
    templateId: template.id,
    templateVersion: template.version,
    format: template.definition.format,
    reference: input.reference ?? null,
    revocable: template.definition.revocable,
    createdAt: timeOfId(input.id),
    updatedAt: now,
    expiresAt: new Date(now.getTime() + ttlSeconds * 1000),
    templateName: template.name,
    ownValidFrom: input.ownValidFrom,
    ownValidUntil: input.ownValidUntil,
    validUntil: input.ownValidUntil?.toISOString() ?? template.definition.validUntil ?? null,
    holderId: input.holderId ?? input.recipientId,
    issuedAt: null,
    acceptedAt: null,
    batchId: null,
    statusReason: null,
    sealedLabel: null,
    offerMail: null,
    replaces: input.replaces ?? null,
    replacedBy: null,
  }
}
