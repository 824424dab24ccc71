import type { SigningKey } from '../signing-key.ts'
import { explicit, integer, sequence, time } from './der.ts'
import { authorityKeyIdentifier, crlNumber, encodeExtensions } from './extension.ts'
import { algorithmOf, signDer } from './signature.ts'

/** A revoked certificate. */
type RevokedEntry = { readonly serial: Buffer; readonly revokedAt: Date }

type Input = {
  /** Subject of the authority, byte for byte. */
  readonly issuer: Buffer
  readonly issuerKeyId: Buffer
  readonly number: number
  readonly thisUpdate: Date
  readonly nextUpdate: Date
  readonly revoked: readonly RevokedEntry[]
}

/**
 * A full revocation list of version 2, signed by the authority itself. [X5-2]
 *
 * @see [RFC 5280, 5.1](https://www.rfc-editor.org/rfc/rfc5280#section-5.1)
 */
export function signRevocationList(input: Input, key: SigningKey): Promise<Buffer> {
  const entries = input.revoked.map(({ serial, revokedAt }) => sequence(integer(serial), time(revokedAt)))
  const extensions = [authorityKeyIdentifier(input.issuerKeyId), crlNumber(input.number)]
  const list = sequence(
    integer(1),
    algorithmOf(key),
    input.issuer,
    time(input.thisUpdate),
    time(input.nextUpdate),
    // RFC 5280 5.1.2.6: absent, not empty, when there is none. Joined first: a call takes fewer arguments than a list may have entries.
    ...(entries.length === 0 ? [] : [sequence(Buffer.concat(entries))]),
    explicit(0, encodeExtensions(extensions)),
  )
  return signDer(list, key)
}
