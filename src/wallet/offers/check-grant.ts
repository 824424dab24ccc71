import { Fault } from '../../fault.ts'
import type { TxCode } from '../../protocols/openid4vci/credential-offer.ts'
import type { IssuerMetadata } from '../../protocols/openid4vci/issuer-metadata.ts'
import type { OutboundPeer } from '../credentials/upstream.ts'
import { type FetchedOffer, fetchServerMetadata } from './fetch-offer.ts'

/** A pre-authorized code that this wallet can redeem. `hint`: the `authorization_server` of the grant. */
type UsableGrant = { readonly code: string; readonly txCode: string | null; readonly hint: string | null }

/**
 * Checks that the wallet can redeem an offer, before anything of it is consumed.
 *
 * @throws Fault `offer.authorization_required`, `offer.tx_code_required`, `offer.unusable`, `upstream.*`
 */
export async function usableGrant(
  platform: OutboundPeer,
  { offer, metadata, configurations }: FetchedOffer,
  txCode: string | null,
): Promise<UsableGrant> {
  const { preAuthorized } = offer
  if (preAuthorized === null)
    throw await signInRequired(platform, metadata, offer.authorizationCode?.authorizationServer ?? null)
  if (preAuthorized.txCode !== null) checkTxCode(new URL(offer.credentialIssuer).host, preAuthorized.txCode, txCode)
  if (metadata.encryptionRequired)
    throw unable('The issuer requires encrypted messages, which this wallet does not send.')
  // [MD-6] an mdoc is always bound to a key; without a proof it would be the key of another wallet
  if (configurations.some(({ format, proofAlgs }) => format === 'mso_mdoc' && proofAlgs === null))
    throw unable('The issuer requests no key proof for an mdoc, so it could not be presented.')
  // [W-C2] a proof type and an algorithm that both sides support
  const isProvable = configurations.every((one) => !one.proofUnsupported && (one.proofAlgs?.includes('ES256') ?? true))
  if (!isProvable) throw unable('The issuer requires a kind of key proof that this wallet does not support.')
  return {
    code: preAuthorized.code,
    // [VCI-T9] a code that was not requested makes the request invalid
    txCode: preAuthorized.txCode === null ? null : txCode,
    hint: preAuthorized.authorizationServer,
  }
}

/**
 * [W-O5] `tx_code`, even an empty one, means that a code is required. A code that cannot be right is not sent: it would cost an attempt.
 *
 * @throws Fault `offer.tx_code_required`
 */
function checkTxCode(host: string, required: TxCode, given: string | null): void {
  const { inputMode, length } = required
  const isDigits = inputMode === 'numeric'
  const refuse = (detail: string) => new Fault('offer.tx_code_required', { detail, meta: { txCode: required } })
  if (given === null) throw refuse(`${host} requires a transaction code.`)
  if (isDigits && !/^[0-9]+$/.test(given)) throw refuse('The transaction code has digits only.')
  if (length !== null && [...given].length !== length)
    throw refuse(`The transaction code has ${length} ${isDigits ? 'digits' : 'characters'}.`)
}

async function signInRequired(platform: OutboundPeer, metadata: IssuerMetadata, hint: string | null): Promise<Fault> {
  const server = await fetchServerMetadata(platform, metadata, hint)
  const related = server.authorizationEndpoint ?? metadata.credentialIssuer
  return new Fault('offer.authorization_required', { links: { related } })
}

function unable(detail: string): Fault {
  return new Fault('offer.unusable', { detail })
}
