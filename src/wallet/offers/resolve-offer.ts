import type { Caller } from '../../caller.ts'
import type { ResolvedMeta, ResolvedOffer } from '../../contract/wallet/offers.ts'
import { isJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import { readOfferInput } from '../../protocols/openid4vci/credential-offer.ts'
import type { IssuerMetadata } from '../../protocols/openid4vci/issuer-metadata.ts'
import { listTaken } from '../credentials/get-credential.ts'
import { type Holder, holderOf } from '../credentials/holder.ts'
import { peersOf } from '../credentials/upstream.ts'
import { openFormats, walletFormatOf } from '../credentials/wallet-format.ts'
import { refuseFull } from '../credentials/wallet-quota.ts'
import { displayIn, readDisplay } from '../display/kept-display.ts'
import { type IssuerTrust, knownIssuer } from '../display/known-issuer.ts'
import { metadataVerifierOf } from '../issuer-access/signed-metadata.ts'
import { isOrdered } from './deferred-store.ts'
import {
  type FetchedOffer,
  fetchIssuerMetadata,
  fetchOffer,
  type OfferTerms,
  offerStateAt,
  ownIssuerOf,
} from './fetch-offer.ts'
import { refuseUntrusted, refuseUnverifiable, signerTrustOf } from './issuer-policy.ts'
import { offerHashOf } from './order.ts'

/**
 * Returns a preview of an offer, without consuming anything of it. The code in the offer is not shown.
 *
 * @param languages `Accept-Language` of the caller, passed on to the issuer.
 * @throws Fault `holder.missing`, and as {@link fetchOffer}
 */
export async function resolveOffer(
  platform: Platform,
  caller: Caller,
  credentialOffer: string,
  languages?: string,
): Promise<ResolvedOffer & { readonly meta: ResolvedMeta }> {
  const owner = { ...caller, userId: holderOf(caller) }
  const terms = { ...(await offerTerms(platform, owner)), languages }
  const fetched = await fetchOffer({ ...platform, tenantId: caller.tenantId }, credentialOffer, terms).catch(
    async (error: unknown) => {
      throw await explainRefusal(platform, owner, { credentialOffer, languages }, error)
    },
  )
  const { expiresAt } = fetched
  const { takenCredentials, isBeingRedeemed } = await ownRedemption(platform, owner, credentialOffer)
  const { trust, basis } = await knownIssuer(platform, caller.tenantId, fetched.offer.credentialIssuer)
  const offer = {
    ...previewOf(fetched, trust, languages),
    takenCredentials,
    trust,
    expiresAt: expiresAt?.toISOString() ?? null,
  }
  const issuerName = issuerNameIn(fetched.metadata, languages)
  const taken = { state: 'taken' as const, ...(issuerName !== null && { issuerName }) }
  const meta = {
    trust: basis,
    ...(fetched.isTaken && { offer: taken }),
    ...(isBeingRedeemed && { isBeingRedeemed }),
  }
  return { ...offer, meta }
}

/** Returns the formats and issuers that wallets of a tenant accept. @throws Fault `wallet.full` */
export async function offerTerms(
  platform: Platform,
  owner: Pick<Holder, 'tenantId' | 'tenantSlug' | 'userId'>,
): Promise<OfferTerms> {
  await refuseFull(platform, owner)
  const formats = await openFormats(platform, owner.tenantId)
  return {
    formats,
    verifySigned: await metadataVerifierOf(platform, owner.tenantId, (issuer) =>
      signerTrustOf(platform, owner.tenantId, issuer),
    ),
    refuse: (issuer) => refuseUntrusted(platform, owner, issuer),
    refuseFormats: (issuer, offered) => refuseUnverifiable(platform, owner, issuer, offered),
  }
}

function previewOf(
  { offer, metadata, configurations }: FetchedOffer,
  trust: IssuerTrust,
  languages: string | undefined,
): Omit<ResolvedOffer, 'trust' | 'expiresAt' | 'takenCredentials'> {
  const { preAuthorized } = offer
  return {
    // [SEC-2] the holder sees the issuer before typing a code
    credentialIssuer: offer.credentialIssuer,
    display: [...metadata.display],
    credentials: configurations.map((one) => configurationOf(one, metadata, trust, languages)),
    authorization: preAuthorized === null ? 'code' : 'preAuthorized',
    txCode: preAuthorized?.txCode ?? null,
  }
}

function configurationOf(
  { id, format, type, display, claims }: Configuration,
  { credentialIssuer, display: issuer }: FetchedOffer['metadata'],
  trust: IssuerTrust,
  languages: string | undefined,
): ResolvedOffer['credentials'][number] {
  const { issuerName, ...shown } = displayIn(readDisplay({ issuer, credential: display, claims }), languages)
  return {
    shown: { ...shown, issuer: { name: issuerName, identifier: credentialIssuer, trust } },
    credentialConfigurationId: id,
    format: walletFormatOf(format),
    vct: type ?? '',
    display: [...display],
    claims: [...claims],
  }
}

/**
 * Returns the error for a holder whose offer cannot be used, with what is known in `meta`: the credentials that the
 * wallet has of it (`takenCredentials`: an answer may have been lost, or the offer is opened again), or that it is
 * still being received (`isBeingRedeemed`); else why, and whose offer it is (`offer`). Only an issuer of this
 * deployment says why, at the link of the offer and not for its code.
 */
export async function explainRefusal(
  platform: Platform,
  holder: Pick<Holder, 'tenantId' | 'userId'>,
  { credentialOffer, languages }: { readonly credentialOffer: string; readonly languages?: string | undefined },
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Fault) || error.code !== 'offer.unusable') return error
  const { code, detail, meta, isFinal } = error
  const more = await aboutRefused(platform, holder, { credentialOffer, languages }, meta).catch(() => ({}))
  return new Fault(code, { detail, meta: { ...meta, ...more }, isFinal, cause: error })
}

async function aboutRefused(
  platform: Platform,
  holder: Pick<Holder, 'tenantId' | 'userId'>,
  { credentialOffer, languages }: { readonly credentialOffer: string; readonly languages?: string | undefined },
  meta: Fault['meta'],
): Promise<object> {
  const { takenCredentials, isBeingRedeemed } = await ownRedemption(platform, holder, credentialOffer)
  if (takenCredentials.length > 0) return { takenCredentials }
  if (isBeingRedeemed) return { isBeingRedeemed }
  const input = readOfferInput(credentialOffer, peersOf(platform))
  const address = 'offer' in input ? input.offer.credentialIssuer : input.offerUri
  const host = new URL(address).host
  const issuer = ownIssuerOf(platform, address)
  if (issuer === null) return { offer: { host } }
  const peer = { ...platform, tenantId: holder.tenantId }
  const known = isJsonObject(meta?.offer) ? meta.offer : { state: await offerStateAt(peer, credentialOffer) }
  const metadata = await fetchIssuerMetadata(peer, issuer, { languages, verifySigned: null }).catch(() => null)
  const issuerName = metadata && issuerNameIn(metadata, languages)
  return { offer: { host, ...(known.state !== null && known), ...(issuerName !== null && { issuerName }) } }
}

/**
 * Returns the credentials that the wallet has of an offer; without any, whether it is receiving them. The order is
 * looked for first: it ends in the transaction that stores its credentials, which would be missed between the two.
 */
async function ownRedemption(
  platform: Pick<Platform, 'store'>,
  holder: Pick<Holder, 'tenantId' | 'userId'>,
  credentialOffer: string,
): Promise<{ readonly takenCredentials: string[]; readonly isBeingRedeemed: boolean }> {
  const offerHash = offerHashOf(credentialOffer)
  const isUnderway = await platform.store.single(holder.tenantId, (tx) => isOrdered(tx, holder.userId, offerHash))
  const takenCredentials = await listTaken(platform, holder, offerHash)
  return { takenCredentials, isBeingRedeemed: isUnderway && takenCredentials.length === 0 }
}

function issuerNameIn({ display }: Pick<IssuerMetadata, 'display'>, languages: string | undefined): string | null {
  return displayIn(readDisplay({ issuer: display, credential: [], claims: [] }), languages).issuerName
}
