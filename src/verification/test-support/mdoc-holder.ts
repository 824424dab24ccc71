import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  CoseKey,
  DateOnly,
  DeviceKey,
  DeviceRequest,
  DocRequest,
  Holder,
  Issuer,
  IssuerSigned,
  ItemsRequest,
  type DeviceResponse as ResponseOfOwf,
  SessionTranscript,
  SignatureAlgorithm,
} from '@owf/mdoc'
import { owfContext } from '../../../test/support/owf-context.ts'
import { readPublicJwk } from '../../crypto/jwk.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import type { Made } from '../../crypto/x509-path/test-support/openssl.ts'
import { issueMdoc } from '../../protocols/mdoc/issue-mdoc.ts'

/** The type of licences, and the namespace of their elements. */
export const licence = { docType: 'org.iso.18013.5.1.mDL', nameSpace: 'org.iso.18013.5.1' } as const
/** What licences say here unless told. */
export const elements = { family_name: 'Jansen', birth_date: '1990-02-28', issuing_country: 'ZA', height: 178 }
/** What requests ask for unless told. */
export const wanted = {
  [licence.nameSpace]: { properties: { family_name: { intentToRetain: false }, birth_date: { intentToRetain: true } } },
}

const pair = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { d: _, ...publicJwk } = privateKey.export({ format: 'jwk' })
  return { jwk: { ...privateKey.export({ format: 'jwk' }) }, publicJwk }
}
/** The key that mdocs are bound to, and another one. */
export const [deviceKey, strangersKey] = [pair(), pair()]

/** What a test wants otherwise of a document. */
export type DocumentWish = {
  readonly signer: Made
  readonly chain?: readonly Made[]
  readonly docType?: string
  readonly country?: string
  readonly validUntil?: Date
  readonly signed?: Date
}

function validityOf({
  signed = new Date(Date.now() - 3_600_000),
  validUntil = new Date(Date.now() + 86_400_000),
}: DocumentWish) {
  const [start, end] = [signed, validUntil].map((time) => new Date(Math.floor(time.getTime() / 1000) * 1000))
  if (start === undefined || end === undefined) throw new Error('no times')
  return { signed: start, validFrom: start, validUntil: end }
}

/** A document by `@owf/mdoc`: IssuerSigned as base64url. */
export async function anOwfDocument(wish: DocumentWish): Promise<string> {
  const { signer, chain = [signer], docType = licence.docType, country = 'ZA' } = wish
  const key = createPrivateKey(readFileSync(signer.keyFile)).export({ format: 'jwk' })
  const values = { ...elements, issuing_country: country, birth_date: new DateOnly(elements.birth_date) }
  const issuerSigned = await new Issuer(docType, owfContext).addIssuerNamespace(licence.nameSpace, values).sign({
    signingKey: CoseKey.fromJwk({ ...key }),
    algorithm: SignatureAlgorithm.ES256,
    digestAlgorithm: 'SHA-256',
    validityInfo: validityOf(wish),
    deviceKeyInfo: { deviceKey: DeviceKey.fromJwk(deviceKey.publicJwk) },
    certificates: chain.map(({ certificate }) => certificate.der),
  })
  return issuerSigned.encodedForOid4Vci
}

/** A document with a status. The libraries know none, so it is ours; they show it. */
export async function aRevocableDocument(signer: Made, uri: string, idx: number): Promise<string> {
  const { der, notBefore, notAfter, subject } = signer.certificate
  const privateKey = createPrivateKey(readFileSync(signer.keyFile))
  const { country: countryName, state: stateOrProvinceName } = subject
  const draft = {
    docType: 'za.example.pass',
    elements: new Map([[licence.nameSpace, new Map(Object.entries(elements))]]),
    deviceKey: readPublicJwk(deviceKey.publicJwk),
    validityInfo: validityOf({ signer }),
    status: { status_list: { idx, uri } },
  }
  const certificate = { notBefore, notAfter, countryName, stateOrProvinceName }
  const mdoc = await issueMdoc(draft, { key: softwareKey(privateKey), x5chain: [der], certificate })
  return mdoc.toString('base64url')
}

/** What a wallet was asked. */
export type Asked = { readonly nonce: string; readonly aud: string; readonly responseUri: string }

/** The answer of a wallet made with `@owf/mdoc`, which makes the transcript too: a DeviceResponse. */
export async function shownByOwf(
  document: string,
  { nonce, aud: clientId, responseUri }: Asked,
  names: readonly string[] = ['family_name', 'birth_date'],
  key: { readonly jwk: object } = deviceKey,
): Promise<Buffer> {
  const issuerSigned = IssuerSigned.fromEncodedForOid4Vci(document)
  const { docType } = issuerSigned.issuerAuth.mobileSecurityObject
  const namespaces = { [licence.nameSpace]: Object.fromEntries(names.map((name) => [name, false])) }
  const itemsRequest = ItemsRequest.create({ docType, namespaces })
  const made: unknown = await Holder.createDeviceResponseForDeviceRequest(
    {
      deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] }),
      sessionTranscript: await SessionTranscript.forOid4Vp({ clientId, nonce, responseUri }, owfContext),
      issuerSigned: [issuerSigned],
      signature: { signingKey: CoseKey.fromJwk({ ...key.jwk, alg: 'ES256' }) },
    },
    owfContext,
  )
  return Buffer.from((made as ResponseOfOwf).encode())
}

/** The public key of a signer, as JWK. */
export function jwkOf({ keyFile }: Made) {
  return createPublicKey(createPrivateKey(readFileSync(keyFile))).export({ format: 'jwk' })
}
