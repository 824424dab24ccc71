import { ServerMetadataReply } from '../../../authorization/server/endpoint/reply-schemas.ts'
import { getTenant } from '../../../directory/tenants/find-tenant.ts'
import { namesType, preferredType } from '../../../http/routes/accept.ts'
import { type Endpoint, endpoint } from '../../../http/routes/endpoint.ts'
import { publishType } from '../../types/publish-type.ts'
import { IssuerMetadataReply, TypeMetadataReply } from '../schemas.ts'
import { publishIssuerMetadata, publishServerMetadata } from './publish-metadata.ts'
import { signIssuerMetadata } from './sign-metadata.ts'

const tag = 'OpenID4VCI'
const json = 'application/json'
const jwt = 'application/jwt'

/** What pages of other origins may read. */
const published = { method: 'GET', tag, accepts: 'none', crossOrigin: true } as const

const issuerMetadata = endpoint({
  ...published,
  path: '/.well-known/openid-credential-issuer/issuers/{tenant}',
  operationId: 'getIssuerMetadata',
  replies: { 200: { types: { [json]: IssuerMetadataReply, [jwt]: null } } },
  summary: 'Returns the credential issuer metadata of a tenant: JSON, or a signed JWT by Accept.',
  handle: async ({ platform, params, headers }) => {
    const tenant = await getTenant(platform, params.tenant)
    // [VCI-M4] OpenID4VCI 1.0, 12.2.2: signed for clients that name application/jwt with no lower weight than JSON;
    // JSON for all
    // others, also for those that accept neither.
    const isSigned = namesType(headers.accept, jwt) && preferredType(headers.accept, [jwt, json]) === jwt
    const type = isSigned ? jwt : json
    const publish = type === jwt ? signIssuerMetadata : publishIssuerMetadata
    const { document, language } = await publish(platform, tenant, headers['accept-language'])
    const own = { 'cache-control': 'no-cache', vary: 'accept, accept-language' }
    return {
      status: 200,
      type,
      body: document,
      headers: language === null ? own : { ...own, 'content-language': language },
    }
  },
})

const serverMetadata = endpoint({
  ...published,
  path: '/.well-known/oauth-authorization-server/issuers/{tenant}',
  operationId: 'getIssuerServerMetadata',
  replies: { 200: { types: { 'application/json': ServerMetadataReply } } },
  summary: 'Returns the authorization server metadata of a tenant.',
  handle: async ({ platform, params }) => ({
    status: 200,
    type: json,
    body: publishServerMetadata(platform, await getTenant(platform, params.tenant)),
    headers: { 'cache-control': 'no-cache' },
  }),
})

const typeMetadata = endpoint({
  ...published,
  path: '/issuers/{tenant}/vct/{code}',
  operationId: 'getTypeMetadata',
  replies: { 200: { types: { 'application/json': TypeMetadataReply } } },
  summary: 'Returns the type metadata of the credentials of a template.',
  tag: 'Trust',
  handle: async ({ platform, params }) => ({
    status: 200,
    body: await publishType(platform, await getTenant(platform, params.tenant), params.code),
    // [TM-5]
    headers: { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' },
  }),
})

/** What a tenant publishes about itself as credential issuer and about the types of its credentials. */
export const metadataEndpoints: readonly Endpoint[] = [issuerMetadata, serverMetadata, typeMetadata]
