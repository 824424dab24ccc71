import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { idAt, newId, timeOfId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { makeTxCode, txCodeMac } from '../offers/tx-code.ts'
import { type CredentialTemplate, txCodeOf } from '../templates/template.ts'
import { cachedTemplate, latestTemplate } from '../templates/template-cache.ts'
import type { Issuance } from './issuance.ts'
import { issuanceRefusal, unknownTemplate } from './issuance-refusal.ts'
import { insertOffered } from './issuance-store.ts'
import { showIssuance } from './issuance-view.ts'
import type { CreateIssuanceBody, IssuanceView } from './schemas.ts'
import type { IssuedOffer } from './wallet-port.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'keys' | 'clock' | 'urls' | 'config'>
type Ask = CreateIssuanceBody & { readonly id: string }

/** What is made together with an issuance. */
type Alongside = (
  offer: Pick<IssuedOffer, 'issuanceId' | 'format' | 'offerUri' | 'txCode'>,
) => Promise<(tx: TenantTx) => Promise<void>>

/** Of template changes that come between reading and writing, so many in a row are overtaken. */
const TRIES_MAX = 3

/**
 * Opens an issuance and answers the offer for it: one statement, audit entry included. The claims are sealed until the credential is out.
 *
 * @param id Of a request that is repeated, the same one.
 * @param alongside Told of the offer before it is written; what it answers with is done in the transaction that writes it.
 * @throws Fault `resource.unknown` for a template that is unknown or archived, `attributes.rejected`, `certificate.none_active`,
 * `state.invalid` if the credential would be out of date already
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
    const refusal = await issuanceRefusal(needs, { id: tenantId, slug: caller.tenantSlug }, template, ask.attributes)
    const opened = refusal === null ? await tryOpen(needs, caller, template, { ...ask, id }, alongside) : null
    if (opened !== null) return opened
    const newer = await latestTemplate(needs, tenantId, ask.credentialTemplateId)
    // Refused by what the template says now, not by what this process remembered of it.
    if (refusal !== null && newer.version === template.version && newer.archivedAt === null) throw refusal
    if (newer.archivedAt !== null) throw unknownTemplate()
    template = newer
  }
  throw new Fault('state.conflict', { detail: 'The template keeps changing; try again.' })
}

async function tryOpen(
  needs: Needs,
  caller: Caller,
  template: CredentialTemplate,
  ask: Ask,
  alongside: Alongside | null,
): Promise<IssuanceView | null> {
  const { store, sealing, clock, config } = needs
  const { tenantId } = caller
  const issuance = offered(template, ask, clock.now(), config.offerTtlSeconds)
  const place = { tenantId, table: 'issuance', column: 'sealed_claims', row: issuance.id }
  const sealedClaims = await sealing.seal(place, JSON.stringify(ask.attributes))
  const asked = txCodeOf(template.definition)
  const txCode = asked === null ? null : await makeTxCode(sealing, tenantId, issuance.id, asked)
  const mac = txCode === null ? null : await txCodeMac(sealing, tenantId, issuance.id, txCode)
  const made = { issuance, templateVersion: template.version, sealedClaims, txCodeMac: mac }
  const subject = { kind: 'issuance', id: issuance.id } as const
  const detail = { credentialId: issuance.credentialId, credentialTemplateId: template.id }
  const entry = { action: 'openid4vc.issuance.offered', subject, by: caller, detail } as const
  const shown = await showIssuance(needs, caller, issuance)
  const offer = { issuanceId: issuance.id, format: issuance.format, offerUri: shown.offerUri, txCode }
  const besides = alongside === null ? null : await alongside(offer)
  const write = (tx: TenantTx) => insertOffered(tx, made, entry)
  const isWritten =
    besides === null
      ? await store.single(tenantId, write)
      : await store.inTenant(tenantId, async (tx) => {
          const isOpened = await write(tx)
          if (isOpened) await besides(tx)
          return isOpened
        })
  if (!isWritten) return null
  return { ...shown, ...(txCode !== null && { txCode }) }
}

function offered(template: CredentialTemplate, ask: Ask, now: Date, ttlSeconds: number): Issuance {
  return {
    id: ask.id,
    status: 'offered',
    error: null,
    credentialId: newId(),
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
