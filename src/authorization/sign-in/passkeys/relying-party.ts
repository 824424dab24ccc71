import type { TenantId, UserId } from '../../../caller.ts'
import { isBase64url } from '../../../crypto/base64url.ts'
import { isJsonObject, type JsonObject } from '../../../crypto/json.ts'
import { idBytes, idText } from '../../../keys/bearer-secret.ts'
import type { Platform } from '../../../platform.ts'
import { decodeCbor } from '../../../protocols/cbor/decode.ts'
import { encodeCbor } from '../../../protocols/cbor/encode.ts'
import { type Cbor, isBytes, isCborMap } from '../../../protocols/cbor/value.ts'
import type { UserRef } from '../visit.ts'

/** EdDSA and ES256, and RS256 for authenticators of Windows that have nothing else. COSE algorithm ids. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257]
/** How long a challenge is valid. */
export const CHALLENGE_SECONDS = 300

const MEMBER_CHARS_MAX = 16_384
const HANDLE_BYTES = 32
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** Returns the relying party of PUBLIC_URL: its RP ID is the host name, its only origin PUBLIC_URL. */
export function relyingParty({ urls }: Pick<Platform, 'urls'>): { readonly rpId: string; readonly origin: string } {
  return { rpId: new URL(urls.publicUrl).hostname, origin: urls.publicUrl }
}

/** Returns the user handle: tenant id and user id, nothing personal. 32 bytes. */
export function userHandle({ tenantId, userId }: UserRef): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...idBytes(tenantId), ...idBytes(userId)])
}

/**
 * Returns the user of a user handle in base64url; null if it has another form. Whether there is such a user is NOT
 * checked.
 */
export function readUserHandle(text: string): UserRef | null {
  const bytes = isBase64url(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0)
  if (bytes.length !== HANDLE_BYTES) return null
  // The row that it must match has these ids, or there is none.
  return { tenantId: idText(bytes.subarray(0, 16)) as TenantId, userId: idText(bytes.subarray(16)) as UserId }
}

/**
 * Returns the members of a public key credential as the browser serialized it, bounded; null if it has not the form of
 * one.
 */
export function readPublicKeyCredential(value: unknown): (JsonObject & { id: string; response: JsonObject }) | null {
  if (!isJsonObject(value) || !isJsonObject(value.response)) return null
  const { id, rawId, type, response } = value
  const texts = [id, rawId, ...Object.values(response)].filter((one) => typeof one === 'string')
  if (typeof id !== 'string' || id !== rawId || type !== 'public-key') return null
  if (!isBase64url(id) || texts.some((one) => one.length > MEMBER_CHARS_MAX)) return null
  return { id, rawId, type, response, clientExtensionResults: {} }
}

/**
 * Returns an attestation object without its statement. Attestation is not requested and says nothing here; verifying
 * one could fetch revocation lists from addresses in certificates that the caller made.
 *
 * @returns null if it is not an attestation object.
 */
export function withoutAttestation(text: unknown): string | null {
  if (typeof text !== 'string' || !isBase64url(text)) return null
  try {
    const value = decodeCbor(Buffer.from(text, 'base64url'))
    const authData = isCborMap(value) ? value.get('authData') : undefined
    if (!isBytes(authData)) return null
    const members: [string, Cbor][] = [
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]
    return encodeCbor(new Map(members)).toString('base64url')
  } catch {
    return null
  }
}

/** Returns the transports of a credential that are known. */
export function knownTransports(value: unknown): readonly string[] {
  return Array.isArray(value) ? TRANSPORTS.filter((one) => value.includes(one)) : []
}
