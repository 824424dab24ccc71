/** Everything that path validation can hold against a chain. */
export const pathFindingMessages = {
  'chain.malformed': 'A certificate of the chain is not well-formed.',
  'chain.empty': 'There is no certificate.',
  'chain.too_long': 'The chain is longer than five certificates.',
  'chain.loop': 'The chain comes back to a certificate that it has passed.',
  'chain.self_signed': 'The chain brings a self-signed certificate along.',
  'chain.no_anchor': 'The chain does not lead to a trusted certificate.',
  'chain.anchor_key': 'The chain ends at the name of a trusted certificate, but with another key.',
  'chain.anchor_purpose': 'The chain leads to a certificate that is trusted for something else.',
  'chain.name': 'The issuer named in a certificate is not the subject of the next one.',
  'chain.signature': 'A certificate is not signed by the next one of the chain.',
  'chain.authority_key': 'A certificate names another key of its issuer than the issuer has.',
  'leaf.self_signed': 'The certificate that signed is self-signed.',
  'leaf.is_ca': 'The certificate that signed is that of a certification authority, or may sign certificates.',
  'leaf.is_anchor': 'The certificate that signed is itself the trusted one.',
  'leaf.key_usage': 'The certificate that signed is not meant for digital signatures.',
  'leaf.extended_key_usage': 'The certificate that signed is meant for another purpose.',
  'ca.missing': 'A certificate of the chain signed another one without being that of a certification authority.',
  'ca.path_length': 'More certificates follow a certification authority than it allows.',
  'ca.key_usage': 'The key of a certification authority is not meant for signing certificates.',
  'ca.extended_key_usage': 'A certification authority of the chain is meant for another purpose.',
  'certificate.expired': 'A certificate of the chain had expired.',
  'certificate.not_yet_valid': 'A certificate of the chain was not valid yet.',
  'certificate.version': 'A certificate of the chain is not of version 3.',
  'certificate.serial': 'A certificate has the serial number zero.',
  'certificate.subject': 'A certificate has neither a subject nor a critical alternative name.',
  'certificate.dns_name': 'A certificate calls something a DNS name that is none.',
  'certificate.criticality': 'An extension of a certificate is critical and must not be, or is not and must be.',
  'certificate.critical_extension': 'A certificate has a critical extension that is not understood.',
  'certificate.forbidden_extension': 'A certificate has an extension that is not allowed in such chains.',
  'certificate.weak_key': 'A certificate has a key that is too weak or of a kind that is not supported.',
  'certificate.weak_signature': 'A certificate is signed with an algorithm that is too weak or not supported.',
  'certificate.revoked': 'A certificate of the chain was revoked.',
  'iaca.country': 'The certificate that signed is not of the country of its issuing authority.',
  'iaca.state': 'The certificate that signed is not of the state or province of its issuing authority.',
  'crl.missing': 'There is no revocation list of the issuer of a certificate.',
  'crl.unsupported': 'The revocation list of an issuer is not complete or not of a kind that is understood.',
  'crl.signature': 'The revocation list is not signed by the issuer of the certificate.',
  'crl.stale': 'The revocation list of an issuer has run out.',
} as const

/** Stable code of {@link pathFindingMessages}. */
export type PathFindingCode = keyof typeof pathFindingMessages

/** One thing that stands against a chain. `message` may be shown. */
export type PathFinding = { readonly code: PathFindingCode; readonly message: string }

/** The finding of a code. */
export function pathFinding(code: PathFindingCode): PathFinding {
  return { code, message: pathFindingMessages[code] }
}
