import { isJsonObject, parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { foreignText } from '../foreign-text.ts'
import { asPeerUrl, isAppLink, isText, isTextList, type PeerPolicy, statedMembers } from '../shape.ts'
import { isIssuerIdentifier } from './well-known.ts'

/** The grant that needs no sign-in. */
export const PRE_AUTHORIZED_GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/** The transaction code that a holder enters before the wallet redeems an offer. */
export type TxCode = {
  readonly inputMode: 'numeric' | 'text'
  readonly length: number | null
  readonly description: string | null
}

/** A credential offer that passed {@link readOffer}. At least one of the two grants is present. */
export type CredentialOffer = {
  readonly credentialIssuer: string
  readonly configurationIds: readonly string[]
  readonly preAuthorized: {
    readonly code: string
    /** Not null: a transaction code is required, even if its form is not described. [W-O5] */
    readonly txCode: TxCode | null
    readonly authorizationServer: string | null
  } | null
  readonly authorizationCode: {
    readonly issuerState: string | null
    readonly authorizationServer: string | null
  } | null
}

/** An offer as received by the wallet: by value or by reference. */
type ReceivedOffer = { readonly offer: CredentialOffer } | { readonly offerUri: string }

const INPUT_LENGTH_MAX = 65_536
const CONFIGURATIONS_MAX = 64
const TX_CODE_LENGTH_MAX = 255
const DESCRIPTION_LENGTH_MAX = 300
/**
 * Schemes that invoke a wallet with an offer: of OpenID4VCI and HAIP, and those of ecosystems (EUDI, swiyu). All are
 * read by their parameters.
 */
export const offerSchemes = ['openid-credential-offer', 'haip-vci', 'eudi-openid4ci', 'swiyu'] as const
/** One of {@link offerSchemes}. */
export type OfferScheme = (typeof offerSchemes)[number]
/** The scheme of OpenID4VCI. */
export const DEFAULT_OFFER_SCHEME: OfferScheme = offerSchemes[0]

/** As `URL.protocol` has them. */
export const OFFER_SCHEMES: ReadonlySet<string> = new Set(offerSchemes.map((one) => `${one}:`))

/**
 * Parses every form of an offer: {@link OFFER_SCHEMES}, any https URL and any link for an app that carries
 * `credential_offer` or `credential_offer_uri`, or the offer's JSON, as text or parsed.
 *
 * Does not fetch an `offerUri`; the outbound client checks its address.
 *
 * @throws Fault `offer.malformed`
 * @see
 *   [OpenID4VCI 1.0, 4.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-offer)
 */
export function readOfferInput(input: unknown, policy: PeerPolicy): ReceivedOffer {
  if (typeof input !== 'string') return { offer: readOffer(input, policy) }
  const text = input.trim()
  if (text.length > INPUT_LENGTH_MAX) throw malformed('It is longer than 64 KiB.')
  if (text.startsWith('{')) return { offer: readOffer(jsonOf(text), policy) }
  const parameters = offerParameters(text, policy)
  // RFC 6749 3.1: a parameter without a value is treated as if it were omitted
  const given = (name: string) => parameters.getAll(name).filter((one) => one !== '')
  const byValue = given('credential_offer')
  const byReference = given('credential_offer_uri')
  const [value] = byValue
  const [reference] = byReference
  // [W-O1] exactly one of the two
  if (byValue.length + byReference.length !== 1)
    throw malformed('It has none, or more than one, of credential_offer and credential_offer_uri.')
  if (value !== undefined) return { offer: readOffer(jsonOf(value), policy) }
  // [W-O2] OpenID4VCI 1.0, 4.1.3: the reference is an https URL
  if (reference === undefined || asPeerUrl(reference, policy) === null)
    throw malformed('Its credential_offer_uri is not an https URL.')
  return { offerUri: reference }
}

/**
 * Validates a credential offer object. Nothing in it is trustworthy. [W-O3]
 *
 * Unknown members and grants are ignored; without any grant the code flow applies (OpenID4VCI 1.0, 4.1.1).
 *
 * @throws Fault `offer.malformed`
 * @see [OpenID4VCI 1.0, 4.1.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-offer-parameters)
 */
export function readOffer(value: unknown, policy: PeerPolicy): CredentialOffer {
  const members = statedMembers(value)
  if (members === null) throw malformed('It is not a JSON object.')
  const { credential_issuer: credentialIssuer, credential_configuration_ids: ids, grants = {} } = members
  // [W-O4]
  if (!isIssuerIdentifier(credentialIssuer, policy))
    throw malformed('credential_issuer is not an https URL without query and fragment.')
  if (!isTextList(ids, CONFIGURATIONS_MAX))
    throw malformed('credential_configuration_ids is not a non-empty array of strings.')
  if (new Set(ids).size !== ids.length) throw malformed('credential_configuration_ids names one configuration twice.')
  if (!isJsonObject(grants)) throw malformed('grants is not an object.')
  const code = grants.authorization_code ?? (Object.keys(grants).length === 0 ? {} : undefined)
  const preAuthorized = readPreAuthorized(grants[PRE_AUTHORIZED_GRANT])
  const authorizationCode = readAuthorizationCode(code)
  // [W-O4] unsupported grants are skipped; no usable one is an error
  if (preAuthorized === null && authorizationCode === null) throw malformed('It has no grant that this wallet can use.')
  return { credentialIssuer, configurationIds: ids, preAuthorized, authorizationCode }
}

function offerParameters(text: string, policy: PeerPolicy): URLSearchParams {
  if (!URL.canParse(text)) throw malformed('It is neither a URI nor JSON.')
  const url = new URL(text)
  const isLink = url.protocol === 'https:' || OFFER_SCHEMES.has(url.protocol) || isAppLink(url)
  if (!isLink && asPeerUrl(text, policy) === null) throw malformed('Its scheme is not one of a credential offer.')
  return url.searchParams
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new Fault('offer.malformed', { detail: 'The offer is not well-formed JSON.', cause })
  }
}

function readPreAuthorized(grant: unknown): CredentialOffer['preAuthorized'] {
  if (grant === undefined) return null
  if (!isJsonObject(grant)) throw malformed('The pre-authorized code grant is not an object.')
  const code = grant['pre-authorized_code']
  // [VCI-O2]
  if (!isText(code)) throw malformed('The pre-authorized code is missing.')
  return { code, txCode: readTxCode(grant.tx_code), authorizationServer: optional(grant.authorization_server) }
}

function readAuthorizationCode(grant: unknown): CredentialOffer['authorizationCode'] {
  if (grant === undefined) return null
  if (!isJsonObject(grant)) throw malformed('The authorization code grant is not an object.')
  return { issuerState: optional(grant.issuer_state), authorizationServer: optional(grant.authorization_server) }
}

/**
 * [VCI-O3] an object, even an empty one, means that a code is required. Its members only help to enter it: one that is
 * not as specified is left out, or cut.
 */
function readTxCode(value: unknown): TxCode | null {
  if (value === undefined) return null
  if (!isJsonObject(value)) throw malformed('tx_code is not an object.')
  const { input_mode: mode, length, description } = value
  const isLength = typeof length === 'number' && Number.isInteger(length) && length > 0 && length <= TX_CODE_LENGTH_MAX
  return {
    // of an unknown kind of input: text, which any code is
    inputMode: mode === undefined || mode === 'numeric' ? 'numeric' : 'text',
    length: isLength ? length : null,
    description: describedIn(description),
  }
}

function describedIn(description: unknown): string | null {
  if (typeof description !== 'string' || description === '') return null
  return description.length <= DESCRIPTION_LENGTH_MAX ? description : foreignText(description, DESCRIPTION_LENGTH_MAX)
}

function optional(value: unknown): string | null {
  if (value === undefined) return null
  if (!isText(value)) throw malformed('A grant has a member that is not a string.')
  return value
}

function malformed(detail: string): Fault {
  return new Fault('offer.malformed', { detail: `This is not a usable credential offer. ${detail}` })
}

/**
 * What the link of an offer tells besides the document, as our issuer says it. `taken`: a wallet redeemed it. `locked`:
 * the transaction code was wrong too often. `canceled`: its issuer withdrew it. `ended`: one of these, it is not known
 * which. `unknown`: there never was such an offer.
 */
export type OfferState = 'taken' | 'locked' | 'canceled' | 'expired' | 'ended' | 'unknown'

const states: ReadonlySet<unknown> = new Set(['taken', 'locked', 'canceled', 'expired', 'ended'] satisfies OfferState[])

/**
 * Reads the state from the answer of an offer's link, of our issuer: a header of the document, or a member of the
 * error. null: it can be taken.
 */
export function readOfferState({
  status,
  headers,
  body,
}: {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}): OfferState | null {
  if (status === 200) return headers['offer-state'] === 'taken' ? 'taken' : null
  if (status !== 404) return null
  const stated = memberOf(body)
  return isState(stated) ? stated : 'unknown'
}

function isState(value: unknown): value is OfferState {
  return states.has(value)
}

function memberOf(body: Uint8Array): unknown {
  try {
    const value = parseJson(body)
    return isJsonObject(value) ? value.offer_state : undefined
  } catch {
    return undefined
  }
}
