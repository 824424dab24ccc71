import { type JsonObject, memberOf } from '../../crypto/json.ts'

/**
 * Returns the other types of an SD-JWT VC: `aka_vcts`, without members that are no text. [DCQL-2] They give its issuer
 * no authority for these types [TM-6].
 *
 * @see [SD-JWT VC, 2.2.2](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export function alsoTypesOf(payload: JsonObject): readonly string[] {
  const also = memberOf(payload, 'aka_vcts')
  return Array.isArray(also) ? also.filter((one) => typeof one === 'string') : []
}
