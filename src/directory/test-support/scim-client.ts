import type { Scope } from '../../caller.ts'
import { groupSchema, userSchema } from '../../protocols/scim/schema.ts'
import type { Directory } from './directory.ts'

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const headersOf = (headers: Readonly<Record<string, string>>) => ({
  'content-type': 'application/scim+json',
  ...headers,
})

/** A provisioning client of a tenant. */
export function scimClient(house: Directory, slug: string, scopes: readonly Scope[] = ['users:read', 'users:write']) {
  const call = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, headers = {}) =>
    house.call(slug, `/scim/v2${path}`, { method, scopes, body, headers: headersOf(headers) })
  return {
    get: (path: string, headers = {}) => call('GET', path, undefined, headers),
    post: (path: string, body: unknown) => call('POST', path, body),
    put: (path: string, body: unknown, headers = {}) => call('PUT', path, body, headers),
    patch: (path: string, Operations: unknown[], headers = {}) =>
      call('PATCH', path, { schemas: [PATCH], Operations }, headers),
    remove: (path: string, headers = {}) => call('DELETE', path, undefined, headers),
    addUser: (user: object) => call('POST', '/Users', { schemas: [userSchema.id], ...user }),
    addGroup: (group: object) => call('POST', '/Groups', { schemas: [groupSchema.id], ...group }),
  }
}
