/** Everything that can be wrong with an SD-JWT VC or its presentation, by the rule that it breaks. */
export const findingMessages = {
  // RFC 9901 7.1, step 2: the issuer-signed JWT
  'jwt.critical': 'The header requires an extension that is not supported.',
  'jwt.algorithm': 'The signature algorithm is not accepted.',
  'jwt.type': 'The type in the header is not that of an SD-JWT VC.',
  'jwt.key': 'The key of the issuer does not match the algorithm.',
  'jwt.signature': 'The signature of the issuer is not valid.',
  // RFC 9901 7.1, steps 2 and 3: digests and disclosures
  'sd_alg.unsupported':
    'The credential names another hash algorithm for its disclosures than SHA-256, SHA-384 or SHA-512.',
  'sd_alg.nested': 'The hash algorithm is named below the top level.',
  'digest.malformed': 'A list of digests is not an array of strings, or a placeholder is malformed.',
  'digest.duplicate': 'A digest occurs more than once.',
  'disclosure.malformed': 'A disclosure is not a JSON array of salt, name and value, or of salt and value.',
  'disclosure.misplaced': 'A disclosure of an object member is used for an array element, or the reverse.',
  'disclosure.name': 'A disclosure has a name that is not allowed.',
  'disclosure.collision': 'A disclosed name exists already at its level.',
  'disclosure.duplicate': 'A disclosure is there twice.',
  'disclosure.unreferenced': 'A disclosure has no digest in the credential.',
  'disclosure.control': 'A claim that must be in the clear is selectively disclosed.',
  'structure.deep': 'The disclosed credential is nested too deeply.',
  // SD-JWT VC: content and validity
  'claim.malformed': 'A registered claim has the wrong form.',
  'claim.missing': 'A claim that is required here is missing.',
  'vct.missing': 'The type of the credential is missing.',
  'vct.unexpected': 'The type of the credential is not the requested one.',
  'validity.expired': 'The credential has expired.',
  'validity.early': 'The credential is not valid yet.',
  'validity.future': 'The credential was issued in the future.',
  'audience.other': 'The audience of the credential is another recipient.',
  'cnf.malformed': 'The key of the holder in the credential is not usable.',
  'cnf.unexpected': 'The credential is not bound to the key that was sent.',
  // RFC 9901 7.2 and 7.3: key binding
  'kb.unexpected': 'A newly issued credential ends with a tilde; what follows the last one would be a key binding.',
  'kb.missing': 'The proof that the holder has the key is missing.',
  'kb.no_key': 'The credential is not bound to a key.',
  'kb.malformed': 'The key binding is not a well-formed JWT.',
  'kb.critical': 'The header of the key binding requires an extension that is not supported.',
  'kb.algorithm': 'The algorithm of the key binding is not accepted.',
  'kb.type': 'The key binding is not of type kb+jwt.',
  'kb.key': 'The key of the holder does not match the algorithm of the key binding.',
  'kb.signature': 'The signature of the key binding is not valid.',
  'kb.time': 'The key binding was made too long ago or in the future.',
  'kb.nonce': 'The key binding was made for another request.',
  'kb.audience': 'The key binding was made for another verifier.',
  'kb.sd_hash': 'The key binding was made for another presentation.',
} as const

/** Stable code of {@link findingMessages}. */
export type FindingCode = keyof typeof findingMessages

/** One thing that is wrong with a credential. A credential without findings may be believed as far as its issuer is. */
export type SdJwtFinding = { readonly code: FindingCode; readonly message: string }

/** The finding of a code. */
export function finding(code: FindingCode): SdJwtFinding {
  return { code, message: findingMessages[code] }
}
