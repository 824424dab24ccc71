import { embed, encodeCbor } from '../cbor/encode.ts'

/**
 * What the holder of an mdoc signs: DeviceAuthenticationBytes.
 *
 * @param of `sessionTranscript`: encoded; it stands there as the array that it is, not as a string around it [MD-21].
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
