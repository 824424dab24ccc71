import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { memberNamed } from './values.ts'

/** The schema of SCIM 1.1, and that of early drafts of SCIM 2.0, which OneLogin sends: each covers users and groups. */
const OF_ALL_RESOURCES: readonly string[] = ['urn:scim:schemas:core:1.0', 'urn:scim:schemas:core:2.0']

/**
 * Returns a message of a schema, which `schemas` names, also as the drafts of SCIM 2.0 did (without `ietf:params`).
 * Where it names none, as OneLogin and authentik send it, or all resources, the address that it was sent to says what
 * it is.
 *
 * @throws Fault `scim.invalid_syntax` if it is no object, or names other schemas only
 * @see [RFC 7643, 3](https://www.rfc-editor.org/rfc/rfc7643#section-3)
 */
export function messageOf(body: Json, schema: string): JsonObject {
  if (!isJsonObject(body)) throw new Fault('scim.invalid_syntax', { detail: 'The body is no JSON object.' })
  const named = memberNamed(body, 'schemas') ?? []
  const draftName = draftNameOf(schema)
  const isOf = (one: Json) => {
    if (typeof one !== 'string') return false
    const name = draftNameOf(one)
    return name === draftName || OF_ALL_RESOURCES.includes(name)
  }
  if (Array.isArray(named) && (named.length === 0 || named.some(isOf))) return body
  throw new Fault('scim.invalid_syntax', { detail: `schemas does not name ${schema}.` })
}

function draftNameOf(schema: string): string {
  return schema.toLowerCase().replace(/^urn:ietf:params:scim:/, 'urn:scim:')
}
