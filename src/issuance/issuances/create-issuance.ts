import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { idAt, timeOfId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { makeTxCode, txCodeMac } from '../offers/tx-code.ts'
import { type CredentialTemplate, txCodeOf } from '../templates/template.ts'
import { cachedTemplate, latestTemplate } from '../templates/template-cache.ts'
import { credentialIdOf } from './credential-id.ts'
import type { Issuance } from './issuance.ts'
import { issuanceCheckOf, unknownTemplate } from './issuance-refusal.ts'
import { insertOffered } from './issuance-store.ts'
import { showIssuance } from './issuance-view.ts'
import type { CreateIssuanceBody, IssuanceView } from './schemas.ts'
import type { IssuedOffer } from './wallet-port.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>
type NewInput = CreateIssuanceBody & { readonly id: string }

/** Prepares what is inserted together with an issuance. */
type Alongside = (
  offer: Pick<IssuedOffer, 'issuanceId' | 'format' | 'offerUri' | 'txCode'>,
) => Promise<(tx: TenantTx) => Promise<void>>

/** Retries when the template changed concurrently. */
const TRIES_MAX = 3

/**
 * Creates an issuance and returns its credential offer: one statement, audit entry included. The claims are stored sealed.
 *
 * @param id Id of the issuance; a repeated request has the same one.
 * @param alongside Called with the offer before the insert; the function it returns runs in the transaction of the insert.
 * @throws Fault `resource.unknown` for a template that is unknown or archived, `attributes.rejected`, `certificate.none_active`,
 * `state.invalid` if the credential would already have expired
 */
export async function createIssuance(
  needs: Needs,
  caller: Caller,
  ask: CreateIssuanceBody,
  id = idAt(needs.clock.now()),
  alongside: Alongside | null = null,
): Promise<IssuanceView> {
  const { tenantId } = caller
  let template = await cachedTemplate(needs, tenantId, ask.credentialTemplateId)
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const check = await issuanceCheckOf(needs, { id: tenantId, slug: caller.tenantSlug }, template)
    const refusal = check(ask.attributes)
    const created = refusal === null ? await tryCreate(needs, caller, template, { ...ask, id }, alongside) : null
    if (created !== null) return created
    const newer = await latestTemplate(needs, tenantId, ask.credentialTemplateId)
    // Refuse by the current version of the template only, not by a cached one.
    if (refusal !== null && newer.version === template.version && newer.archivedAt === null) throw refusal
    if (newer.archivedAt !== null) throw unknownTemplate()
    template = newer
  }
  throw new Fault('state.conflict', { detail: 'The template is being changed concurrently; try again.' })
}

async function tryCreate(
  needs: Needs,
  caller: Caller,
  template: CredentialTemplate,
  ask: NewInput,
  alongside: Alongside | null,
): Promise<IssuanceView | null> {
  const { store, sealing, clock, config } = needs
  const { tenantId } = caller
  const issuance = offered(template, ask, clock.now(), config.offerTtlSeconds)
  const place = { tenantId, table: 'issuance', column: 'sealed_claims', row: issuance.id }
  const sealedClaims = await sealing.seal(place, JSON.stringify(ask.attributes))
  const format = txCodeOf(template.definition)
  const txCode = format === null ? null : await makeTxCode(sealing, tenantId, issuance.id, format)
  const mac = txCode === null ? null : await txCodeMac(sealing, tenantId, issuance.id, txCode)
  const made = { issuance, templateVersion: template.version, sealedClaims, txCodeMac: mac }
  const subject = { kind: 'issuance', id: issuance.id } as const
  const detail = { credentialId: credentialIdOf(issuance.id), credentialTemplateId: template.id }
  const entry = { action: 'openid4vc.issuance.offered', subject, by: caller, detail } as const
  const shown = await showIssuance(needs, caller, issuance)
  const offer = { issuanceId: issuance.id, format: issuance.format, offerUri: shown.offerUri, txCode }
  const insertMore = alongside === null ? null : await alongside(offer)
  const write = (tx: TenantTx) => insertOffered(tx, made, entry)
  const isWritten =
    insertMore === null
      ? await store.single(tenantId, write)
      : await store.inTenant(tenantId, async (tx) => {
          const isInserted = await write(tx)
          if (isInserted) await insertMore(tx)
          return isInserted
        })
  if (!isWritten) return null
  return { ...shown, ...(txCode !== null && { txCode }) }
}

function offered(template: CredentialTemplate, ask: NewInput, now: Date, ttlSeconds: number): Issuance {
  return {
    id: ask.id,
    status: 'offered',
    error: null,
    credentialStatus: 'offered',
    templateId: template.id,
    format: template.definition.format,
    reference: ask.reference ?? null,
    revocable: template.definition.revocable,
    createdAt: timeOfId(ask.id),
    updatedAt: now,
    expiresAt: new Date(now.getTime() + (ask.expiresInSeconds ?? ttlSeconds) * 1000),
  }
}
