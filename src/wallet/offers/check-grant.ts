import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { meetsPolicy } from '../../protocols/openid4vci/build-key-attestation.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import type { TxCode } from '../../protocols/openid4vci/credential-offer.ts'
import type { IssuerMetadata } from '../../protocols/openid4vci/issuer-metadata.ts'
import type { FetchedOffer } from './fetch-offer.ts'

/** A pre-authorized code that this wallet can redeem. `hint`: the `authorization_server` of the grant. */
type UsableGrant = { readonly code: string; readonly txCode: string | null; readonly hint: string | null }

/**
 * Checks that the wallet can redeem an offer, before anything of it is consumed.
 *
 * @throws Fault `offer.authorization_required`, `offer.tx_code_required`, `offer.unusable`
 */
export function usableGrant(
  platform: Pick<Platform, 'config'>,
  { offer, metadata, configurations }: FetchedOffer,
  txCode: string | null,
): UsableGrant {
  const { preAuthorized } = offer
  if (preAuthorized === null) throw signInRequired(platform)
  const { host } = new URL(offer.credentialIssuer)
  // [VCI-T9] a code that was not requested makes the request invalid
  const sent = preAuthorized.txCode === null ? null : enteredCode(host, preAuthorized.txCode, txCode)
  refuseUnprovable(metadata, configurations)
  return {
    code: preAuthorized.code,
    txCode: sent,
    hint: preAuthorized.authorizationServer,
  }
}

/**
 * Refuses credentials that the wallet could not request, before anything is consumed.
 *
 * @throws Fault `offer.unusable`
 */
export function refuseUnprovable(
  { encryption }: Pick<IssuerMetadata, 'encryption'>,
  configurations: readonly Configuration[],
): void {
  // [W-C5]
  if (encryption?.isRequired && encryption.usable === null)
    throw unable('The issuer requires messages encrypted in a way that this wallet does not support.')
  // [MD-6] an mdoc is always bound to a key; without a proof it would be the key of another wallet
  if (configurations.some(({ format, proofAlgs }) => format === 'mso_mdoc' && proofAlgs === null))
    throw unable('The issuer requests no key proof for an mdoc, so it could not be presented.')
  // [W-C2] a proof type and an algorithm that both sides support
  const isProvable = configurations.every((one) => !one.proofUnsupported && (one.proofAlgs?.includes('ES256') ?? true))
  if (!isProvable) throw unable('The issuer requires a kind of key proof that this wallet does not support.')
  // [VCI-K5]
  if (!configurations.every(({ keyAttestation }) => keyAttestation === null || meetsPolicy(keyAttestation)))
    throw unable('The issuer requires keys that are stored or unlocked more strongly than those of this wallet.')
}

/**
 * [W-O5] `tx_code`, even an empty one, means that a code is required. A code that cannot be right is not sent: it would
 * cost an attempt.
 *
 * @returns the code as it is sent. [W-A3]
 * @throws Fault `offer.tx_code_required`
 */
function enteredCode(host: string, required: TxCode, entered: string | null): string {
  const { inputMode, length } = required
  const isDigits = inputMode === 'numeric'
  const refuse = (detail: string) => new Fault('offer.tx_code_required', { detail, meta: { txCode: required } })
  if (entered === null) throw refuse(`${host} requires a transaction code.`)
  const given = isGrouped(entered, required) ? bareCode(entered) : entered
  if (isDigits && !/^[0-9]+$/.test(given)) throw refuse('The transaction code has digits only.')
  if (length !== null && [...given].length !== length)
    throw refuse(`The transaction code has ${length} ${isDigits ? 'digits' : 'characters'}.`)
  return given
}

/**
 * Whether spaces and hyphens only group the characters of a code, as people type it: digits have none, and a text has
 * none if it has its length without them alone.
 */
function isGrouped(entered: string, { inputMode, length }: TxCode): boolean {
  return inputMode === 'numeric' || ([...entered].length !== length && [...bareCode(entered)].length === length)
}

function bareCode(entered: string): string {
  return entered.replaceAll(/[\s-]/g, '')
}

function signInRequired({ config }: Pick<Platform, 'config'>): Fault {
  const related = `${config.walletBaseUrl}/v2/issuance-sessions`
  const detail = `The holder has to sign in at the issuer: create an issuance session with POST ${related}.`
  return new Fault('offer.authorization_required', { detail, links: { related } })
}

function unable(detail: string): Fault {
  return new Fault('offer.unusable', { detail })
}
