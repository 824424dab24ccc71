import type { Caller, TenantId, UserId } from '../../caller.ts'
import type { CreateIssuanceBody, IssuanceView } from '../../contract/issuance/issuances.ts'
import { getRecipient } from '../../directory/users/find-recipient.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { idAt } from '../../store/row-id.ts'
import { nullIfRefused, type TenantTx } from '../../store/store.ts'
import { mailOffers } from '../mails/mail-offer.ts'
import { mailColumn } from '../mails/offer-mail.ts'
import { forgoLook } from '../offers/offer-looks.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import { cachedTemplate, latestTemplate } from '../templates/template-cache.ts'
import { ownValidityOf } from '../templates/validity.ts'
import { issuanceCheckOf, unknownTemplate } from './issuance-refusal.ts'
import { insertOffered } from './issuance-store.ts'
import { offerLinksOf, showIssuance } from './issuance-view.ts'
import { newIssuance } from './new-issuance.ts'
import type { PlannedReplacement } from './replacement-port.ts'
import type { IssuanceDelivery, IssuedOffer } from './wallet-port.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'keys' | 'clock' | 'urls' | 'config' | 'memory' | 'log'>
type NewInput = CreateIssuanceBody & { readonly id: string }
/** What is inserted with an issuance, in its transaction; each null: nothing. */
type Along = { readonly delivery: Alongside | null; readonly replacement: PlannedReplacement | null }

/** Prepares the delivery that is inserted together with an issuance. */
type Alongside = (
  offer: Pick<IssuedOffer, 'issuanceId' | 'format' | 'offerUri' | 'txCode'>,
) => Promise<Pick<IssuanceDelivery, 'userId' | 'insert'>>

const alone: Along = { delivery: null, replacement: null }
const PRE_AUTHORIZED = 'pre-authorized_code'
/** Retries when the template changed concurrently. */
const TRIES_MAX = 3

/**
 * Creates an issuance and returns its credential offer: one round trip, audit entry included. The claims are stored
 * sealed.
 *
 * @param id Id of the issuance; a repeated request has the same one.
 * @param along What is inserted in the same transaction. `delivery` is called with the offer before that.
 * @throws Fault `request.invalid`, `resource.unknown` for a template that is unknown or archived,
 *   `attributes.rejected`, `certificate.none_active`, `state.invalid` if the credential would already have expired,
 *   `state.conflict` if another one replaces the same credential at this moment
 */
export async function createIssuance(
  needs: Needs,
  caller: Caller,
  ask: CreateIssuanceBody,
  id = idAt(needs.clock.now()),
  along: Along = alone,
): Promise<IssuanceView> {
  const { tenantId } = caller
  const recipientId = await recipientOf(needs, caller, ask)
  let template = await cachedTemplate(needs, tenantId, ask.credentialTemplateId)
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const check = await issuanceCheckOf(needs, { id: tenantId, slug: caller.tenantSlug }, template)
    const refusal = check(ask.attributes, ownValidityOf(ask))
    const created =
      refusal === null ? await tryCreate(needs, caller, template, { ...ask, id }, along, recipientId) : null
    if (created !== null) {
      forgoLook(needs, caller, id)
      return created
    }
    const newer = await latestTemplate(needs, tenantId, ask.credentialTemplateId)
    // Refuse by the current version of the template only, not by a cached one.
    if (refusal !== null && newer.version === template.version && newer.archivedAt === null) throw refusal
    if (newer.archivedAt !== null) throw unknownTemplate()
    template = newer
  }
  throw new Fault('state.conflict', { detail: 'The template is being changed concurrently; try again.' })
}

/**
 * Returns the user who may get the credential by signing in.
 *
 * @throws Fault `request.invalid`, `resource.unknown`, `state.invalid`
 */
async function recipientOf(
  { store }: Needs,
  { tenantId }: Caller,
  { grants = [], recipient }: CreateIssuanceBody,
): Promise<UserId | null> {
  if (!grants.includes('authorization_code')) return null
  if (recipient === undefined) {
    const detail = 'authorization_code needs a recipient: the user who may get the credential by signing in.'
    throw new Fault('request.invalid', { violations: [{ detail, pointer: '/recipient' }] })
  }
  const user = await store.single(tenantId, (tx) => getRecipient(tx, recipient, '/recipient/value'))
  return user.id
}

async function tryCreate(
  needs: Needs,
  caller: Caller,
  template: CredentialTemplate,
  ask: NewInput,
  { delivery: alongside, replacement }: Along,
  recipientId: UserId | null,
): Promise<IssuanceView | null> {
  const { store } = needs
  const { tenantId } = caller
  const { id, attributes, expiresInSeconds } = ask
  const reference = ask.reference ?? replacement?.reference ?? undefined
  const codeOnly = recipientId !== null && !(ask.grants ?? []).includes(PRE_AUTHORIZED)
  const isMailed = ask.mail !== undefined
  const replaces = replacement?.replaces ?? null
  const terms = { reference, expiresInSeconds, replaces, ...ownValidityOf(ask) }
  const input = { id, attributes, isMailed, recipientId, codeOnly, ...terms }
  const { issuance, row, txCode, entryBy } = await newIssuance(needs, tenantId, template, input)
  const shown = await showIssuance(needs, caller, { ...issuance, holderName: null })
  const { offerUri } = await offerLinksOf(needs, caller, issuance)
  const offer = { issuanceId: issuance.id, format: issuance.format, offerUri, txCode }
  const delivery = alongside === null ? null : await alongside(offer)
  const holderId = delivery?.userId ?? issuance.holderId
  const write = (tx: TenantTx) => insertOffered(tx, { ...row, issuance: { ...issuance, holderId } }, entryBy(caller))
  const sealedMail = await sealedMailOf(needs, tenantId, ask)
  const now = issuance.updatedAt
  const written =
    delivery === null && sealedMail === null && replacement === null
      ? store.single(tenantId, write)
      : store.inTenant(tenantId, async (tx) => {
          await write(tx)
          await delivery?.insert(tx)
          if (sealedMail !== null) await mailOffers(tx, [{ id, sealedMail }], { now })
          await replacement?.insert(tx, id)
        })
  if ((await nullIfRefused(written)) === null) return null
  const offerMail = { state: 'queued', at: now.toISOString() } as const
  return { ...shown, ...(sealedMail !== null && { offerMail }), ...(txCode !== null && { txCode }) }
}

async function sealedMailOf({ sealing }: Needs, tenantId: TenantId, { id, mail }: NewInput): Promise<Buffer | null> {
  return mail === undefined ? null : mailColumn.seal(sealing, tenantId, id, mail)
}
