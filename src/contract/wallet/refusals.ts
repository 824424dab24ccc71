import type { FaultCode } from '../../fault.ts'

/** Faults of a call to an issuer or verifier. */
const upstreamFaults = [
  'upstream.refused',
  'upstream.unreachable',
  'upstream.timeout',
  'upstream.busy',
  'upstream.answer',
] as const

/** Faults of an offer before anything of it is consumed. */
export const previewFaults = [
  'issuer.untrusted',
  'wallet.full',
  'offer.malformed',
  'offer.unusable',
  'offer.format',
  'issuer_metadata.invalid',
  ...upstreamFaults,
] as const satisfies readonly FaultCode[]

/** Faults of an offer and of the credentials received for it. */
export const offerFaults = [
  ...previewFaults,
  'offer.tx_code_required',
  'offer.authorization_required',
  'credential.invalid',
  'credential.untrusted',
  'issuer_answer.invalid',
] as const satisfies readonly FaultCode[]

/** Faults of a presentation request. */
export const presentationRequestFaults = [
  'presentation_request.invalid',
  'presentation_request.client',
  'presentation_request.uri_method',
  'presentation_request.transaction_data',
  'presentation_request.formats',
  'dcql.invalid',
  ...upstreamFaults,
] as const satisfies readonly FaultCode[]
