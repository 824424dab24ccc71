import { PRE_AUTHORIZED_GRANT, type TxCode } from './credential-offer.ts'

/** What goes into an offer. `preAuthorizedCode` and `issuerState` decide the grant; exactly one of the two. */
type CredentialOfferInput = {
  readonly credentialIssuer: string
  readonly configurationIds: readonly string[]
  readonly txCode?: TxCode | null
} & ({ readonly preAuthorizedCode: string } | { readonly issuerState: string })

/**
 * The credential offer object as it goes over the wire.
 *
 * @see [OpenID4VCI 1.0, 4.1.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-offer-parameters)
 */
export function buildOffer(ask: CredentialOfferInput) {
  return {
    credential_issuer: ask.credentialIssuer,
    credential_configuration_ids: ask.configurationIds,
    grants:
      'preAuthorizedCode' in ask
        ? { [PRE_AUTHORIZED_GRANT]: { 'pre-authorized_code': ask.preAuthorizedCode, ...txCodeMember(ask.txCode) } }
        : { authorization_code: { issuer_state: ask.issuerState } },
  }
}

/** The link to show to a wallet; by reference, so that a QR code of it stays small. [VCI-O7] */
export function offerLink(offerUri: string): string {
  return `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(offerUri)}`
}

function txCodeMember(txCode: TxCode | null | undefined) {
  if (txCode === null || txCode === undefined) return {}
  const { inputMode, length, description } = txCode
  return {
    tx_code: {
      input_mode: inputMode,
      ...(length === null ? {} : { length }),
      ...(description === null ? {} : { description }),
    },
  }
}
