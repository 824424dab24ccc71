import { toBase64url } from '../../src/crypto/base64url.ts'
import { sha256Base64url } from '../../src/crypto/digest.ts'
import type { Json } from '../../src/crypto/json.ts'
import { generateKeyPair } from '../../src/crypto/jwk.ts'
import { signCompact } from '../../src/crypto/jws.ts'
import { softwareKey } from '../../src/crypto/signing-key.ts'
import { parseSdJwt, type SdJwt } from '../../src/protocols/sd-jwt-vc/sd-jwt.ts'

/** A fixed moment, so that no test depends on the clock. */
export const noon = new Date('2026-11-20T12:00:00Z')
/** {@link noon} in seconds. */
export const noonSeconds = noon.getTime() / 1000

const issuerPair = generateKeyPair()
const holderPair = generateKeyPair()
/** Key of an issuer, made anew for every run. */
export const issuerKey = softwareKey(issuerPair.privateKey)
/** Key of a holder, made anew for every run. */
export const holderKey = softwareKey(holderPair.privateKey)

/** Writes any JSON as a disclosure, right or wrong. */
export function disclosureOf(content: Json): string {
  return toBase64url(JSON.stringify(content))
}

/** The digest of a disclosure. */
export const digestOf = sha256Base64url

/** A payload that a verifier accepts, before it is spoilt. */
export function goodPayload(more: object = {}): Record<string, unknown> {
  return {
    iss: 'https://issuer.example',
    vct: 'https://issuer.example/vct/card',
    iat: noonSeconds - 3600,
    exp: noonSeconds + 3600,
    cnf: { jwk: holderKey.publicJwk },
    _sd_alg: 'sha-256',
    ...more,
  }
}

/** Signs whatever it is given as SD-JWT VC: what an issuer of ours never would. */
export async function forged(
  payload: object,
  disclosures: readonly string[] = [],
  header: object = {},
): Promise<SdJwt> {
  return parseSdJwt(await forgedCompact(payload, disclosures, header))
}

/** As {@link forged}, in compact form. */
export async function forgedCompact(
  payload: object,
  disclosures: readonly string[] = [],
  header: object = {},
): Promise<string> {
  return `${[await signCompact({ typ: 'dc+sd-jwt', ...header }, payload, issuerKey), ...disclosures].join('~')}~`
}
