import { fromPaddedBase64url } from '../../crypto/base64url.ts'
import { decodeCbor, decodeEmbedded } from '../cbor/decode.ts'
import { type CborBudget, newBudget } from '../cbor/reader.ts'
import type { Cbor } from '../cbor/value.ts'
import { readSign1, type Sign1 } from '../cose/sign1.ts'
import type { Element } from './claims.ts'
import { type IssuerSigned, readIssuerSigned } from './issuer-signed.ts'
import { arrayOf, cborText, embeddedOf, malformedMdoc, mapOf, reading, textMapOf, uintOf } from './shape.ts'

/**
 * The part signed by the device. `nameSpacesBytes`: the tagged item as received, over which the signature is [MD-21].
 */
type DeviceSigned = {
  readonly nameSpacesBytes: Uint8Array
  readonly nameSpaces: ReadonlyMap<string, readonly Element[]>
  /** Null if there is a MAC instead. */
  readonly deviceSignature: Sign1 | null
}

/** One document of a response. */
export type Document = {
  readonly docType: string
  readonly issuerSigned: IssuerSigned
  readonly deviceSigned: DeviceSigned
}

/** A parsed presentation. Nothing in it is trustworthy before it is verified. */
export type DeviceResponse = {
  readonly version: string
  readonly status: number
  readonly documents: readonly Document[]
}

/** Each costs a signature verification; OpenID4VP sends one. */
const DOCUMENTS_MAX = 16

/**
 * Parses a DeviceResponse. Verifies nothing. Unknown members are ignored.
 *
 * @param response Its bytes, or base64url as in OpenID4VP.
 * @throws Fault `mdoc.malformed`
 */
export function parseDeviceResponse(response: Uint8Array | string): DeviceResponse {
  return reading(() => {
    const budget = newBudget()
    const bytes = typeof response === 'string' ? fromPaddedBase64url(response) : response
    const map = mapOf(decodeCbor(bytes, budget), 'DeviceResponse')
    const documents = arrayOf(map.get('documents') ?? [], 'documents')
    if (documents.length > DOCUMENTS_MAX) throw malformedMdoc('The response has too many documents.')
    return {
      version: cborText(map.get('version'), 'The version of the response'),
      status: uintOf(map.get('status'), 'The status of the response'),
      documents: documents.map((one) => readDocument(one, budget)),
    }
  })
}

function readDocument(value: Cbor, budget: CborBudget): Document {
  const document = mapOf(value, 'A document')
  return {
    docType: cborText(document.get('docType'), 'docType'),
    issuerSigned: readIssuerSigned(document.get('issuerSigned'), budget),
    deviceSigned: readDeviceSigned(document.get('deviceSigned'), budget),
  }
}

function readDeviceSigned(value: Cbor, budget: CborBudget): DeviceSigned {
  const deviceSigned = mapOf(value, 'deviceSigned')
  const nameSpaces = deviceSigned.get('nameSpaces')
  const auth = mapOf(deviceSigned.get('deviceAuth'), 'deviceAuth')
  const [signature, mac] = [auth.get('deviceSignature'), auth.get('deviceMac')]
  // exactly one; with both, two verifiers could rely on different ones
  if ((signature === undefined) === (mac === undefined))
    throw malformedMdoc('deviceAuth is neither a signature nor a MAC.')
  return {
    nameSpacesBytes: embeddedOf(nameSpaces, 'The nameSpaces of the holder').bytes,
    nameSpaces: readElements(decodeEmbedded(nameSpaces, budget)),
    deviceSignature: signature === undefined ? null : readSign1(signature, budget),
  }
}

function readElements(value: Cbor): DeviceSigned['nameSpaces'] {
  const entries = [...textMapOf(value, 'The nameSpaces of the holder')].map(([nameSpace, items]) => {
    const elements = [...textMapOf(items, 'A namespace of the holder')].map(([elementIdentifier, elementValue]) => ({
      elementIdentifier,
      elementValue,
    }))
    return [nameSpace, elements] as const
  })
  return new Map(entries)
}
