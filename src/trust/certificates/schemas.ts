import { Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import { certificateOrigins, certificateStatuses, certificateTypes, rootTypes } from './certificate.ts'

const strict = { additionalProperties: false } as const
const Time = Type.String({ format: 'date-time' })
/** Key types of certificates and signing requests. */
export const KeyTypes = Type.Enum(['P-256', 'Ed25519'])
/** Country of a subject. */
export const CountryName = Type.String({
  minLength: 2,
  maxLength: 2,
  description: 'Country of the subject: an assigned ISO 3166-1 alpha-2 code, case-insensitive.',
})
/** Common name of a subject. */
export const CommonName = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Common name of the subject; by default derived from the name of the tenant.',
  }),
)

/** Body that creates a root. */
export const RootBody = Type.Object(
  {
    type: Type.Enum([...rootTypes], {
      description: 'issuerRoot: an issuing authority (IACA of ISO/IEC 18013-5). verifierRoot: an authority of readers.',
    }),
    keyType: Type.Enum(['P-256', 'Ed25519'], { description: 'Mobile driving licences require P-256.' }),
    countryName: CountryName,
    issuerAlternativeNameUrl: Type.String({
      format: 'uri',
      maxLength: 1024,
      description: 'Web address of the authority: an absolute http or https URL.',
    }),
    commonName: CommonName,
  },
  {
    ...strict,
    $id: 'RootBody',
    examples: [
      { type: 'issuerRoot', keyType: 'P-256', countryName: 'ZA', issuerAlternativeNameUrl: 'https://college.example' },
    ],
  },
)
/** See the schema of the same name. */
export type RootBody = Type.Static<typeof RootBody>

/** A certificate as our API shows it. */
export const CertificateView = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum([...certificateTypes]),
    keyType: KeyTypes,
    status: Type.Enum([...certificateStatuses], { description: 'Whether the tenant signs with it.' }),
    createdAt: Time,
    updatedAt: Time,
    expiresAt: Time,
    subjectKeyIdentifier: Type.String({ description: 'In hexadecimal, lower case.' }),
    origin: Type.Enum([...certificateOrigins], {
      description:
        '`root`: self-signed. `automatic`: leaf of a root, renewed by the server. `request`: for the key of a signing request of the tenant. `foreign`: signed by a root of the tenant for an external key.',
    }),
    subject: Type.String({ description: 'Distinguished name of the subject.' }),
    issuer: Type.String({ description: 'Distinguished name of the issuer.' }),
    serialNumber: Type.String({ description: 'In hexadecimal, lower case.' }),
    fingerprint: Type.String({ description: 'SHA-256 of the certificate, in hexadecimal, lower case.' }),
    validFrom: Time,
    certificate: Type.String({ description: 'PEM.' }),
    capabilities: Type.Object({
      signMdl: Type.Boolean({ description: 'Whether mobile driving licences can be signed.' }),
    }),
    parentCertificateId: Type.String({
      description: 'The root of the tenant that signed it; empty for a root, and if it was imported.',
    }),
  },
  { ...strict, $id: 'Certificate' },
)
/** See the schema of the same name. */
export type CertificateView = Type.Static<typeof CertificateView>

/** The query of the list of certificates. */
export const CertificateListQuery = listQuery({
  sorts: ['createdAt', 'expiresAt'],
  filters: {
    type: Type.Enum([...certificateTypes]),
    status: Type.Enum([...certificateStatuses]),
    keyType: KeyTypes,
  },
})
