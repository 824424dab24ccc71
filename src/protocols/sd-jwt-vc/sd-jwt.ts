import { isBase64url } from '../../crypto/base64url.ts'
import { JWS_CHARS_MAX, type Jws, parseCompact } from '../../crypto/jws.ts'
import { Fault, faultOf } from '../../fault.ts'

/** [SEC-41] Maximum number of disclosures of a credential. */
export const DISCLOSURES_MAX = 1000

/** Maximum length of a credential with its disclosures and key binding, in characters. */
const SD_JWT_CHARS_MAX = 2 * JWS_CHARS_MAX

/** A parsed compact SD-JWT. Nothing in it is trustworthy before it is checked. */
export type SdJwt = {
  /** The issuer-signed JWT. */
  readonly jwt: Jws
  readonly jwtCompact: string
  /** As received, in the order received. */
  readonly disclosures: readonly string[]
  /** The key binding JWT, or null if the text ended with its tilde. */
  readonly keyBinding: string | null
}

/**
 * Parses a compact SD-JWT or SD-JWT+KB. Checks its form only; the JSON serialization is not accepted [SD-4].
 *
 * @throws Fault `sd_jwt.malformed`
 * @see [RFC 9901, 4](https://www.rfc-editor.org/rfc/rfc9901#section-4)
 */
export function parseSdJwt(compact: string): SdJwt {
  if (compact.length > SD_JWT_CHARS_MAX) throw malformed('It is too long.')
  const parts = compact.split('~', DISCLOSURES_MAX + 3)
  const jwtCompact = parts[0] ?? ''
  // [SD-1] the tilde after the last disclosure is required even without disclosures
  if (parts.length < 2) throw malformed('It has no tilde.')
  if (parts.length > DISCLOSURES_MAX + 2) throw malformed('It has too many disclosures.')
  const last = parts.at(-1) ?? ''
  const disclosures = parts.slice(1, -1)
  // [SD-2] no empty part, padding, whitespace or non-canonical encoding
  if (!disclosures.every((one) => one !== '' && isBase64url(one))) throw malformed('A disclosure is not base64url.')
  return { jwt: parseIssuerJwt(jwtCompact), jwtCompact, disclosures, keyBinding: last === '' ? null : last }
}

/** Everything up to and including the last tilde, over which a key binding is. */
export function withoutKeyBinding({ jwtCompact, disclosures }: Pick<SdJwt, 'jwtCompact' | 'disclosures'>): string {
  return disclosures.length === 0 ? `${jwtCompact}~` : `${jwtCompact}~${disclosures.join('~')}~`
}

function parseIssuerJwt(compact: string): Jws {
  try {
    return parseCompact(compact, { exactIntegers: true })
  } catch (cause) {
    throw new Fault('sd_jwt.malformed', { detail: 'The issuer-signed JWT is malformed.', cause })
  }
}

const malformed = faultOf('sd_jwt.malformed')
