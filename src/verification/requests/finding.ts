import { mdocFindingMessages } from '../../protocols/mdoc/findings.ts'
import { findingMessages } from '../../protocols/sd-jwt-vc/findings.ts'

/** What a result can say about a credential beyond what is wrong with its cryptography. */
const own = {
  // Not a defect: the template allows any issuer, so a valid credential proves only that its issuer says so.
  'issuer.not_restricted': 'The template allows any issuer, so anyone could have issued this credential.',
  'issuer.not_allowed': 'The issuer is none of those that the template, or the address of the type, allows.',
  'issuer.not_trusted': 'The issuer is none of the trusted entities that count for the template.',
  'issuer.unresolved': 'The key of the issuer cannot be found.',
  'issuer.unavailable': 'The issuer could not be reached for its key.',
  // Not a defect: many issuers do so, and the certificate must be valid whenever the credential is shown.
  'validity.certificate': 'The credential is to be valid for longer than the certificate of its signer.',
  'validity.strict':
    'The credential is to be valid for longer than the certificate of its signer, and the template refuses that.',
  'presentation.malformed': 'The presentation is not a well-formed credential of the requested format.',
  'presentation.missing': 'The credential was asked for and not presented.',
  'presentation.too_many': 'More than one presentation came where one was asked for.',
  'presentation.duplicate': 'The same credential was presented twice.',
  'presentation.unknown_query': 'A presentation came that nobody asked for.',
  'presentation.format': 'The credential has another format than was asked for.',
  'presentation.type': 'The credential is of another type than was asked for.',
  'presentation.claims': 'A claim that was asked for is missing.',
  'presentation.holder_binding': 'The holder did not prove to have the key of the credential.',
  'presentation.trusted_authority': 'The issuer does not stand under a trusted authority that was asked for.',
  'value.type': 'A claim is not of the type that the template states.',
  'value.different': 'A claim has another value than the template demands.',
  'value.below_minimum': 'A claim is below the minimum of the template.',
  'value.above_maximum': 'A claim is above the maximum of the template.',
  'wallet.declined': 'The holder declined, or the wallet has nothing that fits.',
  'wallet.error': 'The wallet answered with an error.',
} as const

/** Codes of our own, besides those of the credential checks. */
export type IssueCode = keyof typeof own

/** Something that a result says about a credential. Codes are stable; sentences may change. Never a claim's value. */
export type Issue = { readonly code: string; readonly message: string }

/** Every code that a result can carry from the checks made here, with its sentence. */
export const issueMessages: Readonly<Record<string, string>> = { ...findingMessages, ...mdocFindingMessages, ...own }

/** The issue of a code. @param about Which claim, as a dotted path; put before the sentence. */
export function issue(code: IssueCode, about?: string): Issue {
  return { code, message: about === undefined ? own[code] : `${about}: ${own[code]}` }
}

/** Whether an issue says nothing about the credential: another time the check may go well. */
export function isTransientIssue({ code }: Issue): boolean {
  return code === 'issuer.unavailable' || code === 'status.unavailable'
}

/** Whether it was, or may have been, made for another request. The holder of an mdoc signs the nonce with all else, so one cannot tell. */
export function isReplay({ code }: Issue): boolean {
  return code === 'kb.nonce' || code === 'device_auth.signature'
}

/** Whether an issue makes a credential invalid. Two are notes: that any issuer is allowed, and that a credential outlives its signer's certificate. */
export function isDefect({ code }: Issue): boolean {
  return code !== 'issuer.not_restricted' && code !== 'validity.certificate'
}
