import type { FaultRow } from './row.ts'

/** Refusals of certificates and signing requests. `meta.rule` names the rule that is not met. */
export const certificateFaults = {
  'certificate.refused': { api: [422, 'CERTIFICATE_INVALID'], title: 'The certificate does not meet its profile.' },
  'certificate.key_mismatch': {
    api: [422, 'CERTIFICATE_INVALID'],
    title: 'The certificate is for another key than the request.',
  },
  'certificate.chain_broken': {
    api: [422, 'CERTIFICATE_INVALID'],
    title: 'The certificate was not issued by the given issuer.',
  },
  'certificate.wrong_usage': { api: [422, 'CERTIFICATE_INVALID'], title: 'The certificate does not allow this use.' },
  'certificate.not_valid_now': {
    api: [422, 'CERTIFICATE_INVALID'],
    title: 'The certificate is not valid at this time.',
  },
  'certificate.valid_too_long': {
    api: [422, 'CERTIFICATE_INVALID'],
    title: 'The certificate is valid for longer than its profile allows.',
  },
  'certificate.other_country': {
    api: [422, 'CERTIFICATE_INVALID'],
    title: 'The certificate is for another country than the request or the root.',
  },
  'certificate.incapable_root': {
    api: [422, 'CERTIFICATE_INVALID'],
    title: 'This root cannot sign certificates of that kind.',
  },
  'key_device.failed': {
    api: [503, 'UNAVAILABLE'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The key device failed; try again.',
  },
  'key_device.unsupported': {
    api: [409, 'INVALID_STATE'],
    oauth: [409, 'invalid_request'],
    title: 'The key device does not support keys of this kind.',
  },
  'key.destroyed': { api: [409, 'INVALID_STATE'], title: 'The private key has been destroyed.' },
  'signing_request.unproven': {
    api: [422, 'CERTIFICATE_INVALID'],
    title: 'The signing request does not prove possession of its key.',
  },
} as const satisfies Record<string, FaultRow>
