import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { memberNamed } from './values.ts'

/** The one schema of SCIM 1.1, which covers users and groups. */
const SCIM_1 = 'urn:scim:schemas:core:1.0'

/**
 * Returns a message of a schema, which `schemas` names. Where it names none, as OneLogin and authentik send it, the
 * address that it was sent to says what it is.
 *
 * @throws Fault `scim.invalid_syntax` if it is no object, or names other schemas only
 * @see [RFC 7643, 3](https://www.rfc-editor.org/rfc/rfc7643#section-3)
 */
export function messageOf(body: Json, schema: string): JsonObject {
  if (!isJsonObject(body)) throw new Fault('scim.invalid_syntax', { detail: 'The body is no JSON object.' })
  const named = memberNamed(body, 'schemas') ?? []
  const isOf = (one: Json) => one === SCIM_1 || (typeof one === 'string' && one.toLowerCase() === schema.toLowerCase())
  if (Array.isArray(named) && (named.length === 0 || named.some(isOf))) return body
  throw new Fault('scim.invalid_syntax', { detail: `schemas does not name ${schema}.` })
}
