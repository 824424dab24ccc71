/** All findings of path validation. */
export const pathFindingMessages = {
  'chain.malformed': 'A certificate of the chain is not well-formed.',
  'chain.empty': 'There is no certificate.',
  'chain.too_long': 'The chain is longer than five certificates.',
  'chain.loop': 'The chain contains a certificate twice.',
  'chain.self_signed': 'The chain contains a self-signed certificate.',
  'chain.no_anchor': 'The chain does not lead to a trusted certificate.',
  'chain.anchor_key': 'The chain ends at the name of a trusted certificate, but with another key.',
  'chain.anchor_purpose': 'The chain leads to a certificate that is trusted for another purpose.',
  'chain.name': 'The issuer named in a certificate is not the subject of the next one.',
  'chain.signature': 'A certificate is not signed by the next one of the chain.',
  'chain.authority_key': 'The authority key identifier of a certificate is not the key of its issuer.',
  'leaf.self_signed': 'The signing certificate is self-signed.',
  'leaf.is_ca': 'The signing certificate belongs to a certification authority, or may sign certificates.',
  'leaf.is_anchor': 'The signing certificate is itself the trusted one.',
  'leaf.key_usage': 'The key usage of the signing certificate does not include digital signatures.',
  'leaf.extended_key_usage': 'The signing certificate has an extended key usage for another purpose.',
  'ca.missing': 'A certificate of the chain signed another one, but is not that of a certification authority.',
  'ca.path_length': 'More certificates follow a certification authority than it allows.',
  'ca.key_usage': 'The key usage of a certification authority does not include signing certificates.',
  'ca.extended_key_usage': 'A certification authority of the chain has an extended key usage for another purpose.',
  'certificate.expired': 'A certificate of the chain had expired.',
  'certificate.not_yet_valid': 'A certificate of the chain was not valid yet.',
  'certificate.version': 'A certificate of the chain is not of version 3.',
  'certificate.serial': 'A certificate has the serial number zero.',
  'certificate.subject': 'A certificate has neither a subject nor a critical alternative name.',
  'certificate.dns_name': 'A certificate has a malformed DNS name.',
  'certificate.criticality': 'An extension of a certificate is critical and must not be, or is not and must be.',
  'certificate.critical_extension': 'A certificate has a critical extension that is not supported.',
  'certificate.forbidden_extension': 'A certificate has an extension that is not allowed in such chains.',
  'certificate.weak_key': 'A certificate has a key that is too weak or of a kind that is not supported.',
  'certificate.weak_signature': 'A certificate is signed with an algorithm that is too weak or not supported.',
  'certificate.revoked': 'A certificate of the chain was revoked.',
  'iaca.country': 'The country of the signing certificate is not that of its issuing authority.',
  'iaca.state': 'The state or province of the signing certificate is not that of its issuing authority.',
  'crl.missing': 'There is no revocation list of the issuer of a certificate.',
  'crl.unsupported': 'The revocation list of an issuer is not complete or not supported.',
  'crl.signature': 'The revocation list is not signed by the issuer of the certificate.',
  'crl.stale': 'The revocation list of an issuer has expired.',
} as const

/** Stable code of {@link pathFindingMessages}. */
export type PathFindingCode = keyof typeof pathFindingMessages

/** One finding about a chain. `message` may be shown. */
export type PathFinding = { readonly code: PathFindingCode; readonly message: string }

/** Returns the finding for a code. */
export function pathFinding(code: PathFindingCode): PathFinding {
  return { code, message: pathFindingMessages[code] }
}
