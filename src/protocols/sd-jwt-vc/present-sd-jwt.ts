import { digestBase64url } from '../../crypto/digest.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { signCompact } from '../../crypto/jws.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { toNumericDate } from '../numeric-date.ts'
import { type ClaimPath, PathSet } from './claim-path.ts'
import { hashOf } from './disclosure.ts'
import { type DisclosedObject, type ProcessedSdJwt, processSdJwt } from './process-sd-jwt.ts'
import { type SdJwt, withoutKeyBinding } from './sd-jwt.ts'

/**
 * Input of a key binding. `aud`: the full client identifier of the verifier. `claims`: further ones, e.g. hashes of
 * transaction data.
 */
type KeyBinding = {
  readonly claims?: JsonObject
  readonly nonce: string
  readonly aud: string
  readonly iat: Date
  readonly key: SigningKey
}

/**
 * Creates a presentation that discloses the claims at the paths and no other selectively disclosable ones.
 *
 * @param paths Claims path pointers into the processed payload. A selected value is disclosed with everything in it;
 *   the values around it are disclosed as structure only. No path: no disclosure.
 * @param binding Null for a presentation without proof of possession.
 * @throws Fault `sd_jwt.unpresentable` if a path selects nothing or the credential violates the rules for disclosures.
 * @see [RFC 9901, 7.2](https://www.rfc-editor.org/rfc/rfc9901#section-7.2) and [OpenID4VP 1.0, 6.4](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-6.4)
 */
export async function presentSdJwt(
  sdJwt: SdJwt,
  paths: readonly ClaimPath[],
  binding: KeyBinding | null,
): Promise<string> {
  const processed = processSdJwt(sdJwt)
  if (processed.findings.length > 0)
    throw new Fault('sd_jwt.unpresentable', { notes: processed.findings[0]?.code ?? '' })
  for (const path of paths) {
    if (!selects(processed.payload, path)) throw new Fault('sd_jwt.unpresentable', { notes: JSON.stringify(path) })
  }
  const chosen = new Set(disclosuresFor(processed, paths).map(({ disclosure }) => disclosure.encoded))
  // the received order is kept; each disclosure once
  const disclosures = sdJwt.disclosures.filter((encoded) => chosen.has(encoded))
  const presented = withoutKeyBinding({ jwtCompact: sdJwt.jwtCompact, disclosures })
  return binding === null ? presented : presented + (await keyBindingJwt(sdJwt, presented, binding))
}

/**
 * Returns the disclosures for a presentation of these paths [SD-21]: those at, in or above a selected value [DCQL-6].
 *
 * Of a value above, other selectively disclosable members stay hidden, but members in the clear are disclosed.
 */
function disclosuresFor(
  { disclosed }: Pick<ProcessedSdJwt, 'disclosed'>,
  paths: readonly ClaimPath[],
): DisclosedObject[] {
  const selected = new PathSet(paths)
  return disclosed.filter(({ path }) => selected.touches(path))
}

/** Whether a pointer selects at least one value. Inherited properties do not count. */
function selects(value: Json, [step, ...rest]: ClaimPath): boolean {
  if (step === undefined) return true
  if (typeof step === 'string') {
    return isJsonObject(value) && Object.hasOwn(value, step) && selects(value[step] as Json, rest)
  }
  if (!Array.isArray(value)) return false
  if (step === null) return value.some((item) => selects(item, rest))
  return step >= 0 && step < value.length && selects(value[step] as Json, rest)
}

/** RFC 9901 4.3: bound to the verifier, its request and exactly these disclosures. */
function keyBindingJwt(
  sdJwt: SdJwt,
  presented: string,
  { claims = {}, nonce, aud, iat, key }: KeyBinding,
): Promise<string> {
  const hash = hashOf(sdJwt.jwt.payload) ?? 'sha256'
  const payload = {
    ...claims,
    iat: toNumericDate(iat),
    aud,
    nonce,
    sd_hash: digestBase64url(hash, presented),
  }
  return signCompact({ typ: 'kb+jwt' }, payload, key)
}
