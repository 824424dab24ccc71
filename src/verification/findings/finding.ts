import { mdocFindingMessages } from '../../protocols/mdoc/findings.ts'
import { findingMessages } from '../../protocols/sd-jwt-vc/findings.ts'

/** Issues of this room, besides the findings of the cryptographic checks. */
const own = {
  // Not a defect.
  'issuer.not_restricted': 'The template allows any issuer, so anyone could have issued this credential.',
  'issuer.not_allowed': 'The issuer is not among those that the template, or the address of the type, allows.',
  'issuer.not_trusted': 'The issuer is not a trusted entity that the template accepts.',
  'issuer.not_certified':
    'The organisation follows HAIP 1.0, where a credential names its issuer by x5c, without a self-signed certificate.',
  'issuer.unresolved': 'The key of the issuer could not be resolved.',
  'issuer.unavailable': 'The key of the issuer could not be fetched.',
  // Not a defect: many issuers do so, and the certificate must be valid whenever the credential is presented.
  'validity.certificate': 'The validity period of the credential ends after that of its signer certificate.',
  'validity.strict':
    'The validity period of the credential ends after that of its signer certificate, and the template requires strict validity.',
  'presentation.malformed': 'The presentation is not a well-formed credential of the requested format.',
  'presentation.missing': 'The requested credential was not presented.',
  'presentation.too_many': 'More than one presentation was sent for a query for one.',
  'presentation.duplicate': 'The same credential was presented twice.',
  'presentation.unknown_query': 'A presentation was sent for an unknown query id.',
  'presentation.format': 'The credential is not of the requested format.',
  'presentation.type': 'The credential is not of the requested type.',
  'presentation.claims': 'A requested claim is missing.',
  'presentation.holder_binding': 'The holder did not prove possession of the key that the credential is bound to.',
  'presentation.trusted_authority': 'The issuer matches no requested trusted authority.',
  'presentation.transaction_data': 'The key of the credential did not sign the transaction data of the request.',
  // Not a defect: what looks like a withheld element may be a decoy.
  'presentation.elements': 'Elements of a requested array were not disclosed.',
  'value.type': 'A claim is not of the type that the template requires.',
  'value.different': 'A claim does not have the value that the template requires.',
  'value.below_minimum': 'A claim is below the minimum of the template.',
  'value.above_maximum': 'A claim is above the maximum of the template.',
  'wallet.declined': 'The holder declined, or the wallet has no matching credential.',
  'wallet.error': 'The wallet responded with an error.',
} as const

/** The codes of this room. */
export type IssueCode = keyof typeof own

/** An issue of a credential in a result. Codes are stable, messages may change. Never contains the value of a claim. */
export type Issue = { readonly code: string; readonly message: string }

/** Every code of an issue, with its message. */
export const issueMessages: Readonly<Record<string, string>> = { ...findingMessages, ...mdocFindingMessages, ...own }

/**
 * Returns the issue of a code.
 *
 * @param about Dotted path of the claim or wallet error code that prefixes the message.
 */
export function issue(code: IssueCode, about?: string): Issue {
  return { code, message: about === undefined ? own[code] : `${about}: ${own[code]}` }
}

/** Returns whether the check could not be made, so that it may succeed later. */
export function isTransientIssue({ code }: Issue): boolean {
  return code === 'issuer.unavailable' || code === 'status.unavailable'
}

/**
 * Returns whether the presentation may be for another request. In an mdoc the device signature covers the nonce, so a
 * bad one may mean that.
 */
export function isReplay({ code }: Issue): boolean {
  return code === 'kb.nonce' || code === 'device_auth.signature'
}

const warnings: ReadonlySet<string> = new Set<IssueCode>([
  'issuer.not_restricted',
  'validity.certificate',
  'presentation.elements',
])

/** Returns whether an issue makes the credential invalid; the others are warnings. */
export function isDefect({ code }: Issue): boolean {
  return !warnings.has(code)
}
