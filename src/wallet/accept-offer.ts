import type { Caller, UserId } from '../caller.ts'
import { newId } from '../crypto/random.ts'
import { record } from '../events/record.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import type { IssuerMetadata } from '../protocols/openid4vci/issuer-metadata.ts'
import { checkReceived, type Verified } from './check-received.ts'
import { type ShownCredential, showCredential } from './credential.ts'
import { insertCredential } from './credential-store.ts'
import { holderOf } from './holder.ts'
import { insertNotification, type Notification } from './notification-store.ts'
import { accessPlace, reportFailure } from './notify-issuer.ts'
import { fetchServerMetadata, type OpenedOffer, openOffer } from './open-offer.ts'
import { fetchCredentials, type Received, redeemCode } from './redeem-offer.ts'
import { shownTxCode } from './resolve-offer.ts'
import { type SealedCopy, sealCopy } from './sealed-copy.ts'

const NEWS_KEPT_MS = 30 * 86_400_000

/** What a caller gives to receive credentials. */
export type OfferAsk = { readonly credentialOffer: string; readonly txCode?: string | undefined }

/** A credential ready to be stored: everything in it that is personal is sealed. */
type Sealed = {
  readonly id: string
  readonly verified: Verified
  readonly copies: readonly SealedCopy[]
  readonly news: Notification | null
}

/**
 * Redeems an offer, checks everything that the issuer sends, and keeps it as pending: all of it or nothing.
 *
 * The order is the design: what can be refused without consuming the offer is refused first; keys are made before the call and stored only
 * with the credential that is bound to them; nothing is written before every copy was verified.
 *
 * @throws Fault `holder.missing`, `offer.*`, `issuer_metadata.invalid`, `issuer_answer.invalid`, `credential.invalid`, `upstream.*`
 */
export async function acceptOffer(platform: Platform, caller: Caller, ask: OfferAsk): Promise<ShownCredential[]> {
  const userId = holderOf(caller)
  const opened = await openOffer(platform, ask.credentialOffer)
  const { code, txCode, hint } = await usableGrant(platform, opened, ask.txCode ?? null)
  const server = await fetchServerMetadata(platform, opened.metadata, hint)
  const access = await redeemCode(platform, server, code, txCode)
  const { metadata, configurations } = opened
  const received = await fetchCredentials(platform, metadata, configurations, access)
  const verified = await verifyAll(platform, metadata, received, access.token.accessToken)
  return keep(platform, { caller, userId, metadata, accessToken: access.token.accessToken }, verified)
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

async function verifyAll(
  platform: Platform,
  metadata: IssuerMetadata,
  received: readonly Received[],
  accessToken: string,
): Promise<Verified[]> {
  try {
    const verified: Verified[] = []
    for (const one of received) verified.push(await checkReceived(platform, one, platform.clock.now()))
    return verified
  } catch (error) {
    // [W-R7] [W-R9] one bad member condemns the whole, and the issuer hears of it
    const { notificationEndpoint: endpoint } = metadata
    const ids = endpoint === null ? [] : received.flatMap((one) => one.notificationId ?? [])
    await Promise.all(ids.map((id) => reportFailure(platform, endpoint ?? '', { notificationId: id, accessToken })))
    throw error
  }
}

type Receipt = {
  readonly caller: Caller
  readonly userId: UserId
  readonly metadata: IssuerMetadata
  readonly accessToken: string
}

async function keep(platform: Platform, receipt: Receipt, verified: readonly Verified[]): Promise<ShownCredential[]> {
  const { caller, userId, metadata } = receipt
  const now = platform.clock.now()
  const sealed = await Promise.all(verified.map((one) => seal(platform, receipt, one)))
  const held = sealed.map(({ id, verified: { received, vct, iss, issuedAt, expiresAt } }) => ({
    ...({ id, status: 'pending', format: 'vc+sd-jwt', vct, iss, issuedAt, expiresAt } as const),
    ...{ credentialIssuer: metadata.credentialIssuer, configurationId: received.configuration.id },
    ...{ createdAt: now, updatedAt: now },
  }))
  await platform.store.inTenant(caller.tenantId, async (tx) => {
    for (const [i, credential] of held.entries()) {
      const { copies, news } = sealed[i] ?? { copies: [], news: null }
      await insertCredential(tx, userId, credential, copies)
      if (news !== null) await insertNotification(tx, news, credential.id, new Date(now.getTime() + NEWS_KEPT_MS))
      const subject = { kind: 'wallet-credential', id: credential.id }
      await record(tx, { action: 'wallet.credential.received', subject, by: caller }, now)
    }
  })
  return held.map((credential, i) => showCredential(credential, sealed[i]?.verified.copies[0]?.raw ?? ''))
}

async function seal(
  platform: Platform,
  { caller, metadata, accessToken }: Receipt,
  verified: Verified,
): Promise<Sealed> {
  const { tenantId } = caller
  const { notificationEndpoint: endpoint } = metadata
  const copies = await Promise.all(verified.copies.map((copy) => sealCopy(platform.sealing, tenantId, copy)))
  const { notificationId } = verified.received
  if (endpoint === null || notificationId === null) return { id: newId(), verified, copies, news: null }
  const id = newId()
  const access = JSON.stringify({ notificationId, accessToken })
  const news = { id, endpoint, sealedAccess: await platform.sealing.seal(accessPlace(tenantId, id), access) }
  return { id: newId(), verified, copies, news }
}
