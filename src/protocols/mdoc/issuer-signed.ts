import { fromPaddedBase64url } from '../../crypto/base64url.ts'
import { decodeCbor, decodeEmbedded } from '../cbor/decode.ts'
import { type CborBudget, newBudget } from '../cbor/reader.ts'
import type { Cbor } from '../cbor/value.ts'
import { readSign1, type Sign1 } from '../cose/sign1.ts'
import { x5chainOf } from '../cose/x5chain.ts'
import type { Element } from './claims.ts'
import { type MobileSecurityObject, readMobileSecurityObject } from './mobile-security-object.ts'
import { arrayOf, cborText, embeddedOf, malformedMdoc, mapOf, reading, textMapOf, uintOf } from './shape.ts'

/** One element as issued. `bytes`: the tagged item as received, over which the digest is [MD-1]. */
export type IssuerSignedItem = Element & { readonly digestId: number; readonly bytes: Uint8Array }

/** A parsed mdoc. Nothing in it is trustworthy before it is verified. */
export type IssuerSigned = {
  readonly issuerAuth: Sign1
  /** The encoded mobile security object. */
  readonly msoBytes: Uint8Array
  readonly mso: MobileSecurityObject
  /** DER, leaf first; from either header. Empty if the issuer signature names none. */
  readonly x5chain: readonly Uint8Array[]
  readonly nameSpaces: ReadonlyMap<string, readonly IssuerSignedItem[]>
}

/**
 * Parses an IssuerSigned, the form in which an mdoc is issued and stored. Verifies nothing.
 *
 * @param mdoc Its bytes, or base64url as in OpenID4VCI.
 * @throws Fault `mdoc.malformed`
 */
export function parseIssuerSigned(mdoc: Uint8Array | string): IssuerSigned {
  return reading(() => {
    const budget = newBudget()
    return readIssuerSigned(decodeCbor(typeof mdoc === 'string' ? fromPaddedBase64url(mdoc) : mdoc, budget), budget)
  })
}

/**
 * Parses a decoded IssuerSigned.
 *
 * @throws Fault `mdoc.malformed`, or a fault of the decoder that {@link reading} converts to it.
 */
export function readIssuerSigned(value: Cbor, budget: CborBudget): IssuerSigned {
  const issuerSigned = mapOf(value, 'IssuerSigned')
  const issuerAuth = readSign1(issuerSigned.get('issuerAuth'), budget)
  // ISO/IEC 18013-5, 9.1.2.4: untagged, and its payload is inside
  if (issuerAuth.isTagged || issuerAuth.payload === null)
    throw malformedMdoc('issuerAuth is not an untagged COSE_Sign1.')
  const nameSpaces = issuerSigned.get('nameSpaces')
  // ISO/IEC 18013-5, 8.3.2.1.2.2: unknown members are ignored, but do not replace nameSpaces
  if (nameSpaces === undefined && issuerSigned.size > 1) throw malformedMdoc('IssuerSigned has no nameSpaces.')
  return {
    issuerAuth,
    msoBytes: issuerAuth.payload,
    mso: readMobileSecurityObject(decodeEmbedded(decodeCbor(issuerAuth.payload, budget), budget)),
    x5chain: x5chainOf(issuerAuth),
    nameSpaces: nameSpaces === undefined ? new Map() : readNameSpaces(nameSpaces, budget),
  }
}

function readNameSpaces(value: Cbor, budget: CborBudget): IssuerSigned['nameSpaces'] {
  const entries = [...textMapOf(value, 'nameSpaces')].map(
    ([nameSpace, items]) => [nameSpace, arrayOf(items, 'A namespace').map((one) => readItem(one, budget))] as const,
  )
  return new Map(entries)
}

function readItem(value: Cbor, budget: CborBudget): IssuerSignedItem {
  const { bytes } = embeddedOf(value, 'An element')
  const item = mapOf(decodeEmbedded(value, budget), 'An element')
  // the value may be `undefined`, but must be present
  if (!item.has('elementValue')) throw malformedMdoc('An element has no value.')
  const elementIdentifier = cborText(item.get('elementIdentifier'), 'The name of an element')
  // [SEC-23] the name becomes a member of an object
  if (elementIdentifier === '__proto__') throw malformedMdoc('An element is named __proto__.')
  return {
    digestId: uintOf(item.get('digestID'), 'A digest id'),
    elementIdentifier,
    elementValue: item.get('elementValue'),
    bytes,
  }
}
