import { Verifier as VerifierOfAuth0 } from '@auth0/mdl'
import { DeviceResponse, SessionTranscript, Verifier as VerifierOfOwf } from '@owf/mdoc'
import { owfContext } from '../../../test/support/owf-context.ts'
import { foreignRoot, foreignRootDer } from './foreign-mdoc.ts'

/** The request of a verifier, as it stored it. */
export type Asked = { readonly clientId: string; readonly nonce: string; readonly responseUri: string }

/**
 * Has two libraries that are not ours verify a presentation, and reads what it discloses:
 * `[docType, {namespace: elements}]`.
 *
 * @param presentation base64url, as it stood in `vp_token`.
 * @throws whatever they throw if it does not hold for this request
 */
export async function readDeviceResponse(
  presentation: string,
  { clientId, nonce, responseUri }: Asked,
): Promise<readonly [string, Readonly<Record<string, readonly string[]>>]> {
  const deviceResponse = Buffer.from(presentation, 'base64url')
  const sessionTranscript = await SessionTranscript.forOid4Vp({ clientId, nonce, responseUri }, owfContext)
  const trusted = { trustedCertificates: [foreignRootDer], now: new Date() }
  await VerifierOfOwf.verifyDeviceResponse({ deviceResponse, sessionTranscript, ...trusted }, owfContext)
  const array = sessionTranscript.encode()
  // a byte string with a one-byte length, tagged as encoded CBOR
  const encodedSessionTranscript = Buffer.concat([Buffer.from([0xd8, 0x18, 0x58, array.length]), array])
  await new VerifierOfAuth0([foreignRoot]).verify(deviceResponse, { encodedSessionTranscript })
  const [document, ...others] = DeviceResponse.decode(deviceResponse).documents ?? []
  if (document === undefined || others.length > 0) throw new Error('not one document')
  const { issuerNamespaces } = document.issuerSigned
  const disclosed = [...(issuerNamespaces?.issuerNamespaces ?? [])].map(
    ([name, items]) => [name, items.map(({ elementIdentifier }) => elementIdentifier).sort()] as const,
  )
  return [document.docType, Object.fromEntries(disclosed)]
}
