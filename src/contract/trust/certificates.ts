import { Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { listQuery } from '../list-query.ts'
import { PEM } from '../media-types.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'

const strict = { additionalProperties: false } as const

const Time = time

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

/** Types of root certificates: they sign the certificates of credential signers, or of readers. */
const rootTypes = ['issuerRoot', 'verifierRoot'] as const

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

/** Types of the certificates that sign credentials or presentation requests. */
export const leafTypes = ['issuerSignCredential', 'verifierSignRequest'] as const

/** Every type of a certificate. */
const certificateTypes = [...rootTypes, ...leafTypes] as const

/**
 * `active`: the tenant signs with it or its leafs. `pendingActivation`: another one of its kind and key type was active
 * when it was created. `inactive`: replaced or deactivated, or its key is external. `expired` and `revoked` are final.
 */
const certificateStatuses = ['pendingActivation', 'active', 'inactive', 'expired', 'revoked'] as const

/**
 * `root`: self-signed root of the tenant. `automatic`: leaf of a root, created and renewed automatically. `request`:
 * for the key of a signing request of the tenant. `foreign`: signed by a root of the tenant for an external key.
 */
const certificateOrigins = ['root', 'automatic', 'request', 'foreign'] as const

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
const CertificateListQuery = listQuery({
  sorts: ['createdAt', 'expiresAt'],
  filters: {
    type: Type.Enum([...certificateTypes]),
    status: Type.Enum([...certificateStatuses]),
    keyType: KeyTypes,
  },
})

const ofCertificates = operationGroup({
  group: 'creds',
  tag: 'certificates',
  path: '/certificates',
  params: IdParams,
  reply: CertificateView,
  scope: { read: 'trust:read', write: 'trust:write' },
})

/** Certificates of the tenant. */
export const certificates = {
  create: ofCertificates.post('', {
    summary:
      'Creates a root certificate. The first of its kind and key type is active, and signs with a leaf that is created automatically.',
    body: RootBody,
    status: 201,
    faults: ['certificate.refused'],
  }),

  list: ofCertificates.list('', {
    summary: 'Lists the certificates of the tenant, including leafs that were created automatically.',
    query: CertificateListQuery,
  }),

  get: ofCertificates.get('/{id}', {
    summary: 'Returns a certificate; with `Accept: application/x-pem-file` it and its chain, root last.',
    produces: [PEM],
    textExamples: { [PEM]: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n' },
  }),

  activate: ofCertificates.post('/{id}/activate', {
    summary: 'Activates a certificate; the active one of its kind and key type becomes inactive.',
    faults: ['state.invalid'],
  }),

  deactivate: ofCertificates.post('/{id}/deactivate', {
    summary: 'Deactivates a certificate. What it signed stays valid.',
    faults: ['state.invalid'],
  }),

  revoke: ofCertificates.post('/{id}/revoke', {
    summary:
      'Revokes a certificate permanently, with everything below it. The revocation list of its root contains it at once.',
    faults: ['state.invalid'],
  }),
} as const

/** One of {@link rootTypes}. */
export type RootType = (typeof rootTypes)[number]

/** One of {@link leafTypes}. */
export type LeafType = (typeof leafTypes)[number]

/** One of {@link certificateTypes}. */
export type CertificateType = (typeof certificateTypes)[number]

/** One of {@link certificateStatuses}. */
export type CertificateStatus = (typeof certificateStatuses)[number]

/** One of {@link certificateOrigins}. */
export type CertificateOrigin = (typeof certificateOrigins)[number]
