import { Type } from 'typebox'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { endpoint } from '../../http/routes/endpoint.ts'
import { publishDidDocument } from './publish-did-document.ts'
import { publishIssuerKeys } from './publish-issuer-keys.ts'

/** @see [SD-JWT VC, JWT VC issuer metadata](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/) */
const IssuerKeysReply = Type.Object(
  {
    issuer: Type.String({ format: 'uri' }),
    jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() })) })),
  },
  { $id: 'JwtVcIssuerMetadata' },
)
const DidDocumentReply = Type.Object(
  { id: Type.String(), verificationMethod: Type.Array(Type.Object({ id: Type.String(), type: Type.String() })) },
  { $id: 'DidDocument' },
)

const didDocument = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/did.json',
  operationId: 'getDidDocument',
  replies: { 200: { types: { 'application/did+json': DidDocumentReply } } },
  summary:
    'Returns the DID document of a tenant: the keys behind its credentials, status lists and presentation requests.',
  tag: 'Trust',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params }) => ({
    status: 200,
    type: 'application/did+json',
    body: Buffer.from(JSON.stringify(await publishDidDocument(platform, await getTenant(platform, params.tenant)))),
    headers: { 'cache-control': 'public, max-age=60' },
  }),
})

const issuerKeys = endpoint({
  method: 'GET',
  path: '/.well-known/jwt-vc-issuer/issuers/{tenant}',
  operationId: 'getIssuerKeys',
  replies: { 200: { types: { 'application/json': IssuerKeysReply } } },
  summary: 'Returns the JWT VC issuer metadata of a tenant: the keys behind its credentials and status lists.',
  tag: 'Trust',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params }) => ({
    status: 200,
    body: await publishIssuerKeys(platform, await getTenant(platform, params.tenant)),
    headers: { 'cache-control': 'public, max-age=60' },
  }),
})

/** The keys of each tenant: its `did:web` document and its JWT VC issuer metadata. */
export const didEndpoints = [didDocument, issuerKeys]
