/** Object identifiers of X.509 and ISO/IEC 18013-5, in dotted form. */
export const oids = {
  // extensions that are parsed or refused
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  policyMappings: '2.5.29.33',
  authorityKeyId: '2.5.29.35',
  policyConstraints: '2.5.29.36',
  extendedKeyUsage: '2.5.29.37',
  freshestCrl: '2.5.29.46',
  inhibitAnyPolicy: '2.5.29.54',
  // of a signing request
  extensionRequest: '1.2.840.113549.1.9.14',
  // algorithms that we sign with
  ed25519: '1.3.101.112',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  // attributes of names
  commonName: '2.5.4.3',
  countryName: '2.5.4.6',
  stateOrProvinceName: '2.5.4.8',
  // extended key usages
  anyExtendedKeyUsage: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  documentSigning: '1.3.6.1.5.5.7.3.36',
  /** Signs mobile driving licences. */
  mdlDocumentSigner: '1.0.18013.5.1.2',
  /** Authenticates mdoc readers. */
  mdlReaderAuth: '1.0.18013.5.1.6',
  /** The same two for any mdoc (ISO/IEC TS 23220). */
  mdocDocumentSigner: '1.0.23220.4.1.2',
  mdocReaderAuth: '1.0.23220.4.1.6',
} as const
