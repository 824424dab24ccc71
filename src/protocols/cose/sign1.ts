import type { VerificationKey } from '../../crypto/jwk.ts'
import { findSignatureError, signatureMessages } from '../../crypto/raw-signature.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { faultOf } from '../../fault.ts'
import { decodeCbor } from '../cbor/decode.ts'
import { encodeCbor } from '../cbor/encode.ts'
import { type CborBudget, newBudget } from '../cbor/reader.ts'
import { type Cbor, type CborMap, cborTags, isBytes, isCborArray, isCborMap, isTagged, tagged } from '../cbor/value.ts'
import { allCoseAlgs, type CoseAlg, coseAlgs, schemeOf } from './algorithms.ts'

/** Labels of header parameters. */
export const headerLabels = { alg: 1, crit: 2, kid: 4, typ: 16, x5chain: 33 } as const

/** A parsed COSE_Sign1. Nothing in it is trustworthy before its signature is verified. */
export type Sign1 = {
  readonly isTagged: boolean
  /** The signed bytes. */
  readonly protectedBytes: Uint8Array
  readonly protectedHeader: CborMap
  readonly unprotectedHeader: CborMap
  /** Null if it is detached. */
  readonly payload: Uint8Array | null
  readonly signature: Uint8Array
}

/** Why a COSE_Sign1 is not accepted. */
type Sign1Error = {
  readonly code: 'crit' | 'algorithm' | 'payload' | 'key' | 'signature'
  readonly message: string
}

/** `algs`: by default {@link allCoseAlgs}. `detached`: the payload, if it is detached. */
type Sign1Policy = { readonly algs?: readonly CoseAlg[]; readonly detached?: Uint8Array }

/**
 * Parses a decoded COSE_Sign1, with its tag or without. Verifies nothing.
 *
 * @throws Fault `cose.malformed`
 * @see [RFC 9052, 4.2](https://www.rfc-editor.org/rfc/rfc9052#section-4.2) and [3](https://www.rfc-editor.org/rfc/rfc9052#section-3)
 */
export function readSign1(item: Cbor, budget: CborBudget = newBudget()): Sign1 {
  const parts = isTagged(item, cborTags.sign1) ? item.value : item
  if (!isCborArray(parts) || parts.length !== 4) throw malformed('A COSE_Sign1 has four parts.')
  const [protectedBytes, unprotectedHeader, payload, signature] = parts
  if (!isBytes(protectedBytes) || !isBytes(signature) || !(payload === null || isBytes(payload)))
    throw malformed('A part of the COSE_Sign1 has the wrong type.')
  if (unprotectedHeader === undefined || !isCborMap(unprotectedHeader))
    throw malformed('The unprotected header is not a map.')
  // RFC 9052 3: a protected header without parameters is an empty string
  const protectedHeader = protectedBytes.length === 0 ? new Map() : decodeCbor(protectedBytes, budget)
  if (!isCborMap(protectedHeader)) throw malformed('The protected header is not a map.')
  for (const label of unprotectedHeader.keys()) {
    // RFC 9052 3: a label must not occur in both headers, or two verifiers could see different values
    if (protectedHeader.has(label)) throw malformed('A header parameter is in both headers.')
  }
  return { isTagged: isTagged(item), protectedBytes, protectedHeader, unprotectedHeader, payload, signature }
}

/**
 * Returns why a COSE_Sign1 does not verify under a key, or null if it does. The external data is empty [MD-5].
 *
 * @see [RFC 9052, 4.4](https://www.rfc-editor.org/rfc/rfc9052#section-4.4)
 */
export function findSign1Error(sign1: Sign1, key: VerificationKey, policy: Sign1Policy = {}): Sign1Error | null {
  const { protectedHeader, unprotectedHeader } = sign1
  // RFC 9052 3.1: an unsupported extension in `crit`; none is supported
  if (protectedHeader.has(headerLabels.crit) || unprotectedHeader.has(headerLabels.crit))
    return { code: 'crit', message: 'The header requires an extension that is not supported.' }
  // [SEC-20] [MD-4] from the protected header, by an allow-list
  const alg = protectedHeader.get(headerLabels.alg)
  const scheme = schemeOf(alg)
  if (scheme === null || !(policy.algs ?? allCoseAlgs).some((one) => one === alg))
    return { code: 'algorithm', message: 'The algorithm is not accepted here.' }
  const payload = sign1.payload ?? policy.detached
  // with an attached payload where a detached one is required, the sender would choose what is verified
  if (payload === undefined || (sign1.payload !== null && policy.detached !== undefined))
    return { code: 'payload', message: 'The payload is attached where it must be detached, or missing.' }
  const code = findSignatureError(toBeSigned(sign1.protectedBytes, payload), sign1.signature, key, scheme)
  return code === null ? null : { code, message: signatureMessages[code] }
}

/** Input of a signature. `protectedHeader`: without the algorithm, which comes from the key. */
export type Sign1Draft = {
  readonly payload: Uint8Array
  readonly isDetached?: boolean
  readonly isTagged?: boolean
  readonly protectedHeader?: CborMap
  readonly unprotectedHeader?: CborMap
}

/**
 * Signs with ES256 (-7) or EdDSA (-8): the numbers that every verifier supports.
 *
 * @returns The COSE_Sign1 as a value, to be encoded alone or embedded.
 */
export async function sign1(draft: Sign1Draft, key: SigningKey): Promise<Cbor> {
  const alg = key.alg === 'ES256' ? coseAlgs.es256 : coseAlgs.eddsa
  const protectedBytes = encodeCbor(
    new Map<number | string, Cbor>([...(draft.protectedHeader ?? []), [headerLabels.alg, alg]]),
  )
  const payload = draft.isDetached === true ? null : draft.payload
  const signature = await key.sign(toBeSigned(protectedBytes, draft.payload))
  const parts = [protectedBytes, draft.unprotectedHeader ?? new Map(), payload, signature]
  return draft.isTagged === true ? tagged(cborTags.sign1, parts) : parts
}

/** The Sig_structure of RFC 9052 4.4. */
function toBeSigned(protectedBytes: Uint8Array, payload: Uint8Array): Buffer {
  return encodeCbor(['Signature1', protectedBytes, new Uint8Array(0), payload])
}

const malformed = faultOf('cose.malformed')
