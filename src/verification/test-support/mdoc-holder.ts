import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
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
/** The elements of licences by default. */
export const elements = { family_name: 'Jansen', birth_date: '1990-02-28', issuing_country: 'ZA', height: 178 }
/** The attributes of requests by default. */
export const requestedElements = {
  [licence.nameSpace]: { properties: { family_name: { intentToRetain: false }, birth_date: { intentToRetain: true } } },
}

const pair = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { d: _, ...publicJwk } = privateKey.export({ format: 'jwk' })
  return { jwk: { ...privateKey.export({ format: 'jwk' }) }, publicJwk }
}
/** The device key of mdocs, and another key. */
export const [deviceKey, strangersKey] = [pair(), pair()]

/** The signer of a document, and differences from the default document. */
export type DocumentOptions = {
  readonly signer: Made
  readonly chain?: readonly Made[]
  readonly docType?: string
  readonly country?: string
  readonly validUntil?: Date
  readonly signed?: Date
  /** Further elements. */
  readonly more?: object
}

function validityOf({
  signed = new Date(Date.now() - 3_600_000),
  validUntil = new Date(Date.now() + 86_400_000),
}: DocumentOptions) {
  const [start, end] = [signed, validUntil].map((time) => new Date(Math.floor(time.getTime() / 1000) * 1000))
  if (start === undefined || end === undefined) throw new Error('no times')
  return { signed: start, validFrom: start, validUntil: end }
}

/** Issues a document with `@owf/mdoc`. @returns IssuerSigned as base64url */
export async function anOwfDocument(options: DocumentOptions): Promise<string> {
  const { signer, chain = [signer], docType = licence.docType, country = 'ZA' } = options
  const key = createPrivateKey(readFileSync(signer.keyFile)).export({ format: 'jwk' })
  const values = {
    ...elements,
    ...options.more,
    issuing_country: country,
    birth_date: new DateOnly(elements.birth_date),
  }
  const issuerSigned = await new Issuer(docType, owfContext).addIssuerNamespace(licence.nameSpace, values).sign({
    signingKey: CoseKey.fromJwk({ ...key }),
    algorithm: SignatureAlgorithm.ES256,
    digestAlgorithm: 'SHA-256',
    validityInfo: validityOf(options),
    deviceKeyInfo: { deviceKey: DeviceKey.fromJwk(deviceKey.publicJwk) },
    certificates: chain.map(({ certificate }) => certificate.der),
  })
  return issuerSigned.encodedForOid4Vci
}

/** Issues a document with a status with product code, because `@owf/mdoc` does not support one. */
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

/**
 * The values of the request that a presentation is bound to. `origin`: over the Digital Credentials API, with an
 * encrypted response.
 */
export type RequestParameters = {
  readonly nonce: string
  readonly aud: string
  readonly responseUri: string
  /** Of the key to which a response by redirect is encrypted. */
  readonly jwkThumbprint?: Uint8Array
  readonly origin?: { readonly name: string; readonly jwkThumbprint: Uint8Array }
}

/** Returns the DeviceResponse of a wallet built with `@owf/mdoc`, including its session transcript. */
export async function presentWithOwf(
  document: string,
  { nonce, aud: clientId, responseUri, jwkThumbprint, origin }: RequestParameters,
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
      sessionTranscript:
        origin === undefined
          ? await SessionTranscript.forOid4Vp(
              { clientId, nonce, responseUri, ...(jwkThumbprint && { jwkThumbprint }) },
              owfContext,
            )
          : await SessionTranscript.forOid4VpDcApi({ nonce, ...origin, origin: origin.name }, owfContext),
      issuerSigned: [issuerSigned],
      signature: { signingKey: CoseKey.fromJwk({ ...key.jwk, alg: 'ES256' }) },
    },
    owfContext,
  )
  return Buffer.from((made as ResponseOfOwf).encode())
}
