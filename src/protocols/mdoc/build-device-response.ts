import { fromPaddedBase64url } from '../../crypto/base64url.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { splitCborMap } from '../cbor/decode.ts'
import { embed, encodeCbor } from '../cbor/encode.ts'
import type { Cbor } from '../cbor/value.ts'
import { sign1 } from '../cose/sign1.ts'
import type { DcqlClaimPath } from '../dcql/claims-path.ts'
import { deviceAuthenticationBytes } from './device-authentication.ts'
import { type IssuerSigned, parseIssuerSigned } from './issuer-signed.ts'
import { isAuthorized } from './mobile-security-object.ts'
import { reading } from './shape.ts'

/** Input of a presentation. `paths`: namespace and identifier of each element to disclose, as DCQL selects them. */
type MdocPresentation = {
  readonly paths: readonly DcqlClaimPath[]
  /** Encoded; from `redirectTranscript`. */
  readonly sessionTranscript: Uint8Array
  /** The device key. It never computes MACs [MD-22]. */
  readonly deviceKey: SigningKey
  /** Elements that the device signs, by namespace and identifier. */
  readonly deviceElements?: ReadonlyMap<string, ReadonlyMap<string, Cbor>>
}

/**
 * Presents elements of an mdoc: a DeviceResponse with this one document, signed with the device key.
 *
 * The issuer-signed parts are copied byte for byte, since digests and signature are over these bytes.
 *
 * @param mdoc IssuerSigned, as bytes or base64url.
 * @returns CBOR; on the wire it is base64url.
 * @throws Fault `mdoc.unpresentable` if an element does not exist, or the issuer did not authorize the device to sign
 *   one; `mdoc.malformed`.
 */
export async function buildDeviceResponse(mdoc: Uint8Array | string, presentation: MdocPresentation): Promise<Buffer> {
  const bytes = typeof mdoc === 'string' ? reading(() => fromPaddedBase64url(mdoc)) : mdoc
  const parsed = parseIssuerSigned(bytes)
  const { docType } = parsed.mso
  const { sessionTranscript, deviceKey, paths, deviceElements = new Map() } = presentation
  checkAuthorized(parsed, deviceElements)
  const deviceNameSpaces = encodeCbor(embed(deviceElements))
  const payload = deviceAuthenticationBytes({ sessionTranscript, docType, deviceNameSpaces })
  const deviceSigned = new Map<string, Cbor>([
    ['nameSpaces', { encoded: deviceNameSpaces }],
    ['deviceAuth', new Map([['deviceSignature', await sign1({ payload, isDetached: true }, deviceKey)]])],
  ])
  const document = new Map<string, Cbor>([
    ['docType', docType],
    ['issuerSigned', selected(parsed, issuerAuthOf(bytes), paths)],
    ['deviceSigned', deviceSigned],
  ])
  return encodeCbor(
    new Map<string, Cbor>([
      ['version', '1.0'],
      ['documents', [document]],
      ['status', 0],
    ]),
  )
}

/** [MD-23] A device signs what the issuer authorized it to. */
function checkAuthorized({ mso }: IssuerSigned, elements: NonNullable<MdocPresentation['deviceElements']>): void {
  for (const [nameSpace, values] of elements)
    for (const element of values.keys())
      if (!isAuthorized(mso.keyAuthorizations, nameSpace, element))
        throw new Fault('mdoc.unpresentable', {
          detail: 'The issuer did not authorize the device to sign this element.',
        })
}

function issuerAuthOf(bytes: Uint8Array): Cbor {
  const encoded = splitCborMap(bytes).get('issuerAuth')
  if (encoded === undefined) throw new Fault('mdoc.malformed')
  return { encoded }
}

function selected({ nameSpaces }: IssuerSigned, issuerAuth: Cbor, paths: readonly DcqlClaimPath[]): Cbor {
  const selectedPaths = new Set(paths.map((path) => JSON.stringify(path)))
  const kept = new Map<string, readonly Cbor[]>()
  let found = 0
  for (const [nameSpace, items] of nameSpaces) {
    const shown = items.filter((one) => selectedPaths.has(JSON.stringify([nameSpace, one.elementIdentifier])))
    found += shown.length
    if (shown.length > 0)
      kept.set(
        nameSpace,
        shown.map(({ bytes }) => ({ encoded: bytes })),
      )
  }
  if (found !== selectedPaths.size) throw new Fault('mdoc.unpresentable', { detail: 'The mdoc has no such element.' })
  // ISO/IEC 18013-5, 8.3.2.1.2.2: `nameSpaces` may be left out, and a namespace without elements must be
  return new Map<string, Cbor>([
    ['issuerAuth', issuerAuth],
    ...(kept.size === 0 ? [] : [['nameSpaces', kept] as const]),
  ])
}
