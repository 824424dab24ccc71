import { Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'
import { CertificateView, CommonName, CountryName, KeyTypes, leafTypes } from './certificates.ts'

const strict = { additionalProperties: false } as const

const Time = time

/** Long enough for a certificate with a large key and many names. */
const PEM_CHARS_MAX = 32_768

const CHAIN_MAX = 5

/** Body that creates a certificate signing request. */
export const SigningRequestBody = Type.Object(
  {
    type: Type.Enum([...leafTypes], {
      description: 'issuerSignCredential: will sign credentials. verifierSignRequest: will sign presentation requests.',
    }),
    keyType: KeyTypes,
    countryName: CountryName,
    commonName: CommonName,
    capabilities: Type.Optional(
      Type.Object(
        {
          signMdl: Type.Optional(Type.Boolean({ description: 'Will sign mobile driving licences; false by default.' })),
        },
        strict,
      ),
    ),
  },
  {
    ...strict,
    $id: 'SigningRequestBody',
    examples: [{ type: 'issuerSignCredential', keyType: 'P-256', countryName: 'ZA', capabilities: { signMdl: true } }],
  },
)

/** See the schema of the same name. */
export type SigningRequestBody = Type.Static<typeof SigningRequestBody>

const Pem = (description: string) => Type.String({ minLength: 1, maxLength: PEM_CHARS_MAX, description })

/** The certificate that another authority signed for a signing request. */
export const ImportBody = Type.Object(
  {
    certificate: Pem('The certificate in PEM. Certificates of its chain may follow in the same text.'),
    chain: Type.Optional(
      Type.Array(Pem('One or more certificates in PEM.'), {
        maxItems: CHAIN_MAX,
        description: 'The certificates above it, nearest first. Not needed for an issuer that is a trusted entity.',
      }),
    ),
  },
  {
    ...strict,
    $id: 'ImportBody',
    examples: [{ certificate: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n', chain: [] }],
  },
)

/** See the schema of the same name. */
export type ImportBody = Type.Static<typeof ImportBody>

/** What a root is to sign: one of the two. */
export const SignBody = Type.Object(
  {
    csrId: Type.Optional(Type.String({ format: 'uuid', description: 'A signing request of the tenant.' })),
    csr: Type.Optional(Pem('A signing request in PEM, e.g. for an external key.')),
  },
  {
    ...strict,
    $id: 'SignBody',
    minProperties: 1,
    maxProperties: 1,
    examples: [{ csrId: '01890000-0000-7000-8000-000000000000' }],
  },
)

/** See the schema of the same name. */
export type SignBody = Type.Static<typeof SignBody>

/** `open`: has no certificate yet. `completed`: has one. `expired`: too late for one, its key is destroyed. */
const signingRequestStatuses = ['open', 'completed', 'expired'] as const

/** A certificate signing request as our API shows it. */
export const SigningRequestView = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum([...leafTypes]),
    keyType: KeyTypes,
    status: Type.Enum([...signingRequestStatuses]),
    createdAt: Time,
    updatedAt: Time,
    countryName: Type.String({ description: 'Country of the subject.' }),
    capabilities: Type.Object({ signMdl: Type.Boolean() }),
    certificateSigningRequest: Type.String({ description: 'PEM.' }),
    subjectKeyIdentifier: Type.String({ description: 'In hexadecimal, lower case.' }),
    certificateId: Type.String({ description: 'The certificate for this request; empty until there is one.' }),
    expiresAt: Type.String({
      format: 'date-time',
      description: 'Until when a certificate may be imported. The key is destroyed then.',
    }),
  },
  { ...strict, $id: 'CertificateSigningRequest' },
)

/** See the schema of the same name. */
export type SigningRequestView = Type.Static<typeof SigningRequestView>

/** The query of the list of signing requests. */
const SigningRequestListQuery = listQuery({
  filters: {
    type: Type.Enum([...leafTypes]),
    status: Type.Enum([...signingRequestStatuses]),
    keyType: KeyTypes,
  },
})

const ofSigningRequests = operationGroup({
  group: 'creds',
  tag: 'certificates',
  path: '/certificates',
  params: IdParams,
  reply: SigningRequestView,
  scope: { read: 'trust:read', write: 'trust:write' },
})

/** Certificate signing requests, and certificates for foreign keys. */
export const signingRequests = {
  create: ofSigningRequests.post('/csrs', {
    summary:
      'Creates a key and a certificate signing request for it, to be signed by another authority or by a root of the tenant.',
    body: SigningRequestBody,
    status: 201,
  }),

  list: ofSigningRequests.list('/csrs', {
    summary: 'Lists the certificate signing requests of the tenant.',
    query: SigningRequestListQuery,
  }),

  get: ofSigningRequests.get('/csrs/{id}', {
    summary: 'Returns a certificate signing request.',
  }),

  import: ofSigningRequests.post('/csrs/{id}/import', {
    summary: 'Imports the certificate that another authority signed for the request, after all checks.',
    body: ImportBody,
    status: 201,
    reply: CertificateView,
    faults: [
      'state.invalid',
      'certificate.invalid',
      'certificate.key_mismatch',
      'certificate.chain_broken',
      'certificate.wrong_usage',
      'certificate.not_valid_now',
      'certificate.valid_too_long',
      'certificate.other_country',
    ],
  }),

  sign: ofSigningRequests.post('/{id}/sign', {
    summary: 'Signs a certificate signing request with this root. Extensions that the request asks for are not copied.',
    body: SignBody,
    status: 201,
    reply: CertificateView,
    faults: [
      'state.invalid',
      'certificate.invalid',
      'certificate.refused',
      'signing_request.unproven',
      'certificate.other_country',
      'certificate.incapable_root',
    ],
  }),
} as const

/** One of {@link signingRequestStatuses}. */
export type SigningRequestStatus = (typeof signingRequestStatuses)[number]
