import { type OfferScheme, PRE_AUTHORIZED_GRANT, type TxCode } from './credential-offer.ts'

/** Input of an offer. `preAuthorizedCode`, `issuerState`: null without the grant; one of them is not. */
type CredentialOfferInput = {
  readonly credentialIssuer: string
  readonly configurationIds: readonly string[]
  readonly preAuthorizedCode: string | null
  readonly issuerState: string | null
  readonly txCode: TxCode | null
}

/**
 * Builds the credential offer object.
 *
 * @see [OpenID4VCI 1.0, 4.1.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-offer-parameters)
 */
export function buildOffer(input: CredentialOfferInput) {
  return {
    credential_issuer: input.credentialIssuer,
    credential_configuration_ids: input.configurationIds,
    grants: {
      // [VCI-O1]
      ...(input.issuerState !== null && { authorization_code: { issuer_state: input.issuerState } }),
      ...(input.preAuthorizedCode !== null && {
        [PRE_AUTHORIZED_GRANT]: { 'pre-authorized_code': input.preAuthorizedCode, ...txCodeMember(input.txCode) },
      }),
    },
  }
}

/** Builds the link to an offer; by reference, so that its QR code is small. [VCI-O7] */
export function offerLink(offerUri: string, scheme: OfferScheme): string {
  return `${scheme}://?credential_offer_uri=${encodeURIComponent(offerUri)}`
}

function txCodeMember(txCode: TxCode | null) {
  if (txCode === null) return {}
  const { inputMode, length, description } = txCode
  return {
    tx_code: {
      input_mode: inputMode,
      ...(length === null ? {} : { length }),
      ...(description === null ? {} : { description }),
    },
  }
}
