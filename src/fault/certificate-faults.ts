import type { Row } from './row.ts'

/** Refusals of certificates and signing requests. Each carries the rule that was broken in `meta.rule`. */
export const certificateFaults = {
  'certificate.refused': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The certificate would not fit its profile.',
  },
  'certificate.key_mismatch': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The certificate is for another key than the request.',
  },
  'certificate.chain_broken': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The certificate does not lead to its issuer.',
  },
  'certificate.wrong_usage': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The certificate is not meant for what it is to be used for.',
  },
  'certificate.not_valid_now': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The certificate is not valid at this time.',
  },
  'certificate.valid_too_long': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The certificate is valid for longer than its profile allows.',
  },
  'certificate.other_country': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The certificate is of another country than the request or the root.',
  },
  'certificate.incapable_root': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'This root does not sign certificates of that kind.',
  },
  'key_device.failed': {
    api: [503, 'UNAVAILABLE'],
    oauth: [503, 'temporarily_unavailable'],
    title: 'The device that keeps the private keys does not answer as it should; try again.',
  },
  'key_device.unsupported': {
    api: [409, 'INVALID_STATE'],
    oauth: [409, 'invalid_request'],
    title: 'The device that keeps the private keys has no keys of this kind.',
  },
  'key.destroyed': {
    api: [409, 'INVALID_STATE'],
    oauth: [400, 'invalid_request'],
    title: 'The private key has been destroyed.',
  },
  'signing_request.unproven': {
    api: [422, 'CERTIFICATE_INVALID'],
    oauth: [400, 'invalid_request'],
    title: 'The signing request does not prove that its maker holds the key.',
  },
} as const satisfies Record<string, Row>
