import { Fault } from '../../fault.ts'
import { type Cbor, isBytes, isCborArray } from '../cbor/value.ts'
import { headerLabels, type Sign1 } from './sign1.ts'

/** [SEC-27] Maximum number of certificates in a message. */
const X5CHAIN_MAX = 5

/** Encodes certificates as value of `x5chain`: DER, leaf first, without the anchor [MD-4]. */
export function toX5chain(certificates: readonly Uint8Array[]): Cbor {
  const [only] = certificates
  return certificates.length === 1 ? only : certificates
}

/**
 * Returns the certificates in `x5chain` of either header, leaf first; empty if none. Verifies nothing.
 *
 * @returns DER.
 * @throws Fault `cose.malformed`
 * @see [RFC 9360, 2](https://www.rfc-editor.org/rfc/rfc9360#section-2)
 */
export function x5chainOf({ protectedHeader, unprotectedHeader }: Sign1): readonly Uint8Array[] {
  const value = protectedHeader.get(headerLabels.x5chain) ?? unprotectedHeader.get(headerLabels.x5chain)
  if (value === undefined) return []
  const certificates = isCborArray(value) ? value : [value]
  // a list of one violates RFC 9360, but is unambiguous
  if (certificates.length === 0 || certificates.length > X5CHAIN_MAX || !certificates.every(isBytes))
    throw new Fault('cose.malformed', { detail: 'x5chain is not a list of certificates.' })
  return certificates.filter(isBytes)
}
