import type { Caller } from '../caller.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import type { IssuerMetadata } from '../protocols/openid4vci/issuer-metadata.ts'
import type { ShownCredential } from './credential.ts'
import { keepDeferred, sealDeferred } from './fetch-deferred.ts'
import { holderOf } from './holder.ts'
import { keepCredential, sealCredentials, verifyAll } from './keep-credentials.ts'
import { fetchServerMetadata, type OpenedOffer, openOffer } from './open-offer.ts'
import { type Deferred, fetchCredentials, redeemCode } from './redeem-offer.ts'
import { shownTxCode } from './resolve-offer.ts'

/** What a caller gives to receive credentials. */
export type OfferAsk = { readonly credentialOffer: string; readonly txCode?: string | undefined }

/** What is there already, and what the issuer gives later. */
export type Accepted = {
  readonly credentials: readonly ShownCredential[]
  readonly deferred: readonly DeferredCredential[]
}

/** A credential that is still to come. */
export type DeferredCredential = {
  readonly credentialConfigurationId: string
  readonly vct: string | null
  readonly intervalSeconds: number
}

/**
 * Redeems an offer, checks everything that the issuer sends, and keeps it as pending: all of it or nothing.
 *
 * The order is the design: what can be refused without consuming the offer is refused first; keys are made before the call and stored only
 * with the credential that is bound to them; nothing is written before every copy was verified.
 *
 * @throws Fault `holder.missing`, `offer.*`, `issuer_metadata.invalid`, `issuer_answer.invalid`, `credential.invalid`, `upstream.*`
 */
export async function acceptOffer(platform: Platform, caller: Caller, ask: OfferAsk): Promise<Accepted> {
  const userId = holderOf(caller)
  const opened = await openOffer(platform, ask.credentialOffer)
  const { code, txCode, hint } = await usableGrant(platform, opened, ask.txCode ?? null)
  const { metadata, configurations } = opened
  const server = await fetchServerMetadata(platform, metadata, hint)
  const access = await redeemCode(platform, server, code, txCode)
  const { received, deferred } = await fetchCredentials(platform, metadata, configurations, access)
  const { credentialIssuer, notificationEndpoint, deferredEndpoint } = metadata
  const { accessToken } = access.token
  const receipt = { tenantId: caller.tenantId, userId, by: caller, credentialIssuer, notificationEndpoint, accessToken }
  const ready = await sealCredentials(platform, receipt, await verifyAll(platform, receipt, received))
  const later = await sealDeferred(platform, { ...receipt, deferredEndpoint }, deferred)
  await platform.store.inTenant(caller.tenantId, async (tx) => {
    for (const one of ready) await keepCredential(tx, receipt, one, platform.clock.now())
    for (const one of later) await keepDeferred(tx, one, platform.clock.now())
  })
  return { credentials: ready.map(({ shown }) => shown), deferred: deferred.map(announced) }
}

function announced({ configuration, intervalSeconds }: Deferred): DeferredCredential {
  return { credentialConfigurationId: configuration.id, vct: configuration.type, intervalSeconds }
}

/** Whether the offer can be redeemed at all, before anything of it is consumed. */
async function usableGrant(
  platform: Platform,
  { offer, metadata, configurations }: OpenedOffer,
  txCode: string | null,
) {
  const { preAuthorized } = offer
  if (preAuthorized === null)
    throw await signInNeeded(platform, metadata, offer.authorizationCode?.authorizationServer ?? null)
  // [W-O5] the presence of tx_code, even an empty one, means that a code is needed
  if (preAuthorized.txCode !== null && txCode === null) {
    const meta = { txCode: shownTxCode(preAuthorized.txCode) }
    throw new Fault('offer.tx_code_required', {
      detail: `${new URL(offer.credentialIssuer).host} asks for a transaction code.`,
      meta,
    })
  }
  if (metadata.encryptionRequired)
    throw unable('The issuer demands encrypted messages, which this wallet does not send.')
  // [W-C2] a proof type of theirs, an algorithm of their list
  const isProvable = configurations.every((one) => !one.proofUnsupported && (one.proofAlgs?.includes('ES256') ?? true))
  if (!isProvable) throw unable('The issuer wants a key proof of a kind that this wallet does not make.')
  return {
    code: preAuthorized.code,
    // [VCI-T9] a code that was not asked for makes the request invalid
    txCode: preAuthorized.txCode === null ? null : txCode,
    hint: preAuthorized.authorizationServer,
  }
}

async function signInNeeded(platform: Platform, metadata: IssuerMetadata, hint: string | null): Promise<Fault> {
  const server = await fetchServerMetadata(platform, metadata, hint)
  const related = server.authorizationEndpoint ?? metadata.credentialIssuer
  return new Fault('offer.authorization_required', { links: { related } })
}

function unable(detail: string): Fault {
  return new Fault('offer.unusable', { detail })
}
