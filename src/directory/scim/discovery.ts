import { roles } from '../../caller.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { COUNT_MAX } from '../../protocols/scim/list-request.ts'
import type { Resource } from '../../protocols/scim/patch.ts'
import { type Attribute, groupSchema, type Schema, userSchema } from '../../protocols/scim/schema.ts'
import { BULK_BYTES_MAX, BULK_OPERATIONS_MAX } from './bulk.ts'

/** Returns what the service supports. @see [RFC 7643, 5](https://www.rfc-editor.org/rfc/rfc7643#section-5) */
export function serviceConfiguration(base: string): Resource {
  const bearer = {
    type: 'oauthbearertoken',
    name: 'Bearer token',
    description: 'A provisioning token, or an access token of the platform with the scopes users:read and users:write.',
    specUri: 'https://www.rfc-editor.org/info/rfc6750',
    primary: true,
  }
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: BULK_OPERATIONS_MAX, maxPayloadSize: BULK_BYTES_MAX },
    filter: { supported: true, maxResults: COUNT_MAX },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    // RFC 9865
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: 100,
      maxPageSize: COUNT_MAX,
    },
    authenticationSchemes: [bearer],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

/** Returns the kinds of resources. @see [RFC 7643, 6](https://www.rfc-editor.org/rfc/rfc7643#section-6) */
export function resourceTypes(base: string): readonly Resource[] {
  return [userSchema, groupSchema].map(({ id, name, description }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    description,
    endpoint: `/${name}s`,
    schema: id,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))
}

/** Returns the schemas. @see [RFC 7643, 7](https://www.rfc-editor.org/rfc/rfc7643#section-7) */
export function schemaResources(base: string): readonly Resource[] {
  return [userSchema, groupSchema].map(({ id, name, description, attributes }: Schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    description,
    attributes: attributes.map((one) => shown(one)),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }))
}

/** The only values that an attribute takes. */
const canonicalValues: Readonly<Record<string, readonly string[]>> = { 'roles.value': Object.keys(roles) }

function shown({ subAttributes, referenceTypes, ...rest }: Attribute, parent = ''): JsonObject {
  const values = canonicalValues[parent + rest.name]
  return {
    ...rest,
    ...(subAttributes !== undefined && { subAttributes: subAttributes.map((one) => shown(one, `${rest.name}.`)) }),
    ...(referenceTypes !== undefined && { referenceTypes: [...referenceTypes] }),
    ...(values !== undefined && { canonicalValues: [...values] }),
  }
}
