import { isJsonObject, type JsonObject, parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { isText, statedMembers } from '../shape.ts'
import { isContradictory } from './claim-descriptions.ts'

const CHARS_MAX = 16_384
const DETAILS_MAX = 20
const ID_CHARS_MAX = 256

/**
 * Returns the credential configurations that a parameter `authorization_details` names, each once; null without the
 * parameter.
 *
 * NOT checked: whether the issuer has them. Unknown members of an element are ignored. [VCI-A2]
 *
 * @throws Fault `authorization_details.invalid`
 * @see [OpenID4VCI 1.0, 5.1.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-using-authorization-details)
 * and [RFC 9396, 5](https://www.rfc-editor.org/rfc/rfc9396#section-5)
 */
export function readCredentialDetails(text: string | undefined): readonly string[] | null {
  // RFC 6749 3.2: parameters sent without a value are treated as if they were omitted
  if (text === undefined || text === '') return null
  const elements = text.length > CHARS_MAX ? null : jsonOf(text)
  if (!Array.isArray(elements)) {
    throw new Fault('authorization_details.invalid', { detail: 'authorization_details is not a JSON array.' })
  }
  if (elements.length === 0 || elements.length > DETAILS_MAX) throw new Fault('authorization_details.invalid')
  return [...new Set(elements.map(configurationOf))]
}

/** Returns the element of a token response about one credential. [VCI-T4] */
export function credentialDetails(configurationId: string, credentialId: string): object {
  return {
    type: 'openid_credential',
    credential_configuration_id: configurationId,
    credential_identifiers: [credentialId],
  }
}

function configurationOf(value: unknown): string {
  const element = statedMembers(value)
  // RFC 9396 5: an unknown type is refused
  if (element?.type !== 'openid_credential') {
    throw new Fault('authorization_details.invalid', {
      detail: 'Each element must be an object of type openid_credential.',
    })
  }
  const { credential_configuration_id: id, claims } = element
  if (!isText(id, ID_CHARS_MAX)) {
    throw new Fault('authorization_details.invalid', { detail: 'credential_configuration_id is missing.' })
  }
  // [VCI-M15]
  if (claims !== undefined && !isConsistent(claims)) {
    throw new Fault('authorization_details.invalid', { detail: 'claims contradict each other.' })
  }
  return id
}

function isConsistent(claims: unknown): boolean {
  return Array.isArray(claims) && claims.every(isJsonObject) && !isContradictory(claims as JsonObject[])
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
