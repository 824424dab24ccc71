import { extensionIds } from '../x509-path/extensions.ts'

/** Object identifiers of X.509 and ISO/IEC 18013-5, in dotted form. */
export const oids = {
  ...extensionIds,
  ed25519: '1.3.101.112',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  extensionRequest: '1.2.840.113549.1.9.14',
  countryName: '2.5.4.6',
  commonName: '2.5.4.3',
  /** Extended key usage: signs mobile driving licences. */
  mdlDocumentSigner: '1.0.18013.5.1.2',
  /** Extended key usage: authenticates mdoc readers. */
  mdlReaderAuth: '1.0.18013.5.1.6',
  /** The same two for any mdoc (ISO/IEC TS 23220). */
  mdocDocumentSigner: '1.0.23220.4.1.2',
  mdocReaderAuth: '1.0.23220.4.1.6',
} as const
