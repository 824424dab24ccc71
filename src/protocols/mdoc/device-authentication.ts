import { embed, encodeCbor } from '../cbor/encode.ts'

/**
 * Encodes DeviceAuthenticationBytes, which the device key signs.
 *
 * @param of `sessionTranscript`: encoded; it is embedded as an array, not as a byte string [MD-21].
 * `deviceNameSpaces`: the tagged item exactly as it is transmitted.
 * @see ISO/IEC 18013-5, 9.1.3.4 (2021)
 */
export function deviceAuthenticationBytes(of: {
  readonly sessionTranscript: Uint8Array
  readonly docType: string
  readonly deviceNameSpaces: Uint8Array
}): Buffer {
  const { sessionTranscript, docType, deviceNameSpaces } = of
  // [MD-20]
  return encodeCbor(
    embed(['DeviceAuthentication', { encoded: sessionTranscript }, docType, { encoded: deviceNameSpaces }]),
  )
}
