import type { FaultCode } from '../../fault.ts'

/** What may be wrong with an offer before anything of it is consumed. */
export const previewFaults = [
  'issuer.untrusted',
  'wallet.full',
  'offer.malformed',
  'offer.unusable',
  'offer.format',
  'issuer_metadata.invalid',
  'upstream.refused',
  'upstream.unreachable',
  'upstream.timeout',
  'upstream.answer',
] as const satisfies readonly FaultCode[]

/** What may be wrong with an offer and with what it brings. */
export const offerFaults = [
  ...previewFaults,
  'offer.tx_code_required',
  'offer.authorization_required',
  'credential.invalid',
  'credential.untrusted',
  'issuer_answer.invalid',
] as const satisfies readonly FaultCode[]

/** What may be wrong with a presentation request. */
export const presentationRequestFaults = [
  'presentation_request.invalid',
  'presentation_request.client',
  'presentation_request.uri_method',
  'presentation_request.transaction_data',
  'presentation_request.formats',
  'dcql.invalid',
  'upstream.refused',
  'upstream.unreachable',
  'upstream.timeout',
] as const satisfies readonly FaultCode[]
