import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import { listTaken } from '../credentials/get-credential.ts'
import { type Holder, holderOf } from '../credentials/holder.ts'
import { openFormats, walletFormatOf } from '../credentials/wallet-format.ts'
import { refuseFull } from '../credentials/wallet-quota.ts'
import { displayIn, readDisplay } from '../display/kept-display.ts'
import { type IssuerTrust, knownIssuer } from '../display/known-issuer.ts'
import { metadataVerifierOf } from '../issuer-access/signed-metadata.ts'
import { type FetchedOffer, fetchOffer, type OfferTerms } from './fetch-offer.ts'
import { refuseUntrusted, refuseUnverifiable, signerTrustOf } from './issuer-policy.ts'
import { offerHashOf } from './order.ts'
import type { ResolvedOffer } from './schemas.ts'

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
): Promise<ResolvedOffer> {
  const owner = { ...caller, userId: holderOf(caller) }
  const terms = { ...(await offerTerms(platform, owner)), languages }
  const fetched = await fetchOffer(platform, credentialOffer, terms).catch(async (error: unknown) => {
    throw await withTaken(platform, owner, credentialOffer, error)
  })
  const { expiresAt } = fetched
  const trust = await knownIssuer(platform, caller.tenantId, fetched.offer.credentialIssuer)
  return {
    ...previewOf(fetched, trust, languages),
    takenCredentials: await listTaken(platform, owner, offerHashOf(credentialOffer)),
    trust,
    expiresAt: expiresAt?.toISOString() ?? null,
  }
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
 * Returns the error for a holder whose offer cannot be used. If the wallet has credentials of the same offer, a refusal names them in
 * `meta.takenCredentials`: an answer may have been lost, or the offer is opened again.
 */
export async function withTaken(
  platform: Pick<Platform, 'store'>,
  holder: Pick<Holder, 'tenantId' | 'userId'>,
  credentialOffer: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Fault) || error.code !== 'offer.unusable') return error
  const takenCredentials = await listTaken(platform, holder, offerHashOf(credentialOffer)).catch(() => [])
  if (takenCredentials.length === 0) return error
  const { code, detail, meta, isFinal } = error
  return new Fault(code, { detail, meta: { ...meta, takenCredentials }, isFinal, cause: error })
}
