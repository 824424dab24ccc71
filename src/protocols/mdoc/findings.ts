/** All findings about an mdoc or its presentation, by violated rule. */
export const mdocFindingMessages = {
  // ISO/IEC 18013-5: the signature of the issuer
  'issuer_auth.certificate': 'The issuer signature does not name the certificate that it was checked with.',
  'issuer_auth.critical': 'The header of the issuer signature requires an extension that is not supported.',
  'issuer_auth.algorithm': 'The algorithm of the issuer signature is not accepted.',
  'issuer_auth.payload': 'The payload of the issuer signature is missing or detached.',
  'issuer_auth.key': 'The key of the issuer does not match the algorithm.',
  'issuer_auth.signature': 'The signature of the issuer is not valid.',
  // digests
  'digest.unknown': 'An element has no digest in what the issuer signed.',
  'digest.mismatch': 'The digest of an element is not the one that the issuer signed.',
  'digest.duplicate': 'Two elements of a namespace have the same digest id.',
  'element.duplicate': 'An element occurs twice.',
  // the mobile security object
  'mso.version': 'The version of the security object is not supported.',
  'mso.digest_algorithm': 'The digest algorithm is not accepted.',
  'mso.doc_type': 'The document type is not the one that the issuer signed.',
  'doc_type.unexpected': 'The document type is not the requested one.',
  'validity.signed': 'The credential was not signed while the certificate of its signer was valid.',
  'validity.early': 'The credential is not valid yet.',
  'validity.expired': 'The credential has expired.',
  'issuer.country': 'The issuing country is not that of the certificate of the signer.',
  'issuer.jurisdiction': 'The issuing jurisdiction is not that of the certificate of the signer.',
  'device_key.unsupported': 'The key of the holder in the credential is not usable.',
  'device_key.unexpected': 'The credential is not bound to the key that was sent.',
  // the presentation
  'response.version': 'The version of the response is not supported.',
  'response.status': 'The status of the response is an error of the wallet.',
  'response.documents': 'The response does not have exactly one document.',
  'device_auth.mac': 'The proof that the holder has the key is a MAC; a signature is required.',
  'device_auth.critical': 'The header of the holder signature requires an extension that is not supported.',
  'device_auth.algorithm': 'The algorithm of the holder signature is not accepted.',
  'device_auth.payload': 'The holder signature must not carry its payload.',
  'device_auth.key': 'The key of the holder does not match the algorithm.',
  'device_auth.signature': 'The signature of the holder is not valid, or was made for another request.',
  'device_signed.unauthorized': 'The device signs an element without the authorization of the issuer.',
  'device_signed.duplicate': 'The device signs an element that the issuer signed too.',
} as const

/** Stable code of {@link mdocFindingMessages}. */
export type MdocFindingCode = keyof typeof mdocFindingMessages

/** One finding about an mdoc. Without findings an mdoc is as trustworthy as its issuer. */
export type MdocFinding = { readonly code: MdocFindingCode; readonly message: string }

/** Returns the finding for a code. */
export function mdocFinding(code: MdocFindingCode): MdocFinding {
  return { code, message: mdocFindingMessages[code] }
}
