import { readFileSync } from 'node:fs'
import { CoseKey, DateOnly, DeviceKey, Issuer, KeyAuthorizations, SignatureAlgorithm } from '@owf/mdoc'
import { owfContext } from '../../../test/support/owf-context.ts'

const data = new URL('../../../test/vectors/data/mdoc/oracle-signer.json', import.meta.url)
const made = JSON.parse(readFileSync(data, 'utf8'))
const [root, leaf] = [made.root, made.leaf].map((one: string) => Buffer.from(one, 'base64'))
if (root === undefined || leaf === undefined) throw new Error('the signer is gone')

/** The root that the signer of the foreign mdocs stands under, in PEM. */
export const foreignRoot = `-----BEGIN CERTIFICATE-----\n${made.root.match(/.{1,64}/g).join('\n')}\n-----END CERTIFICATE-----\n`
/** That root in DER. */
export const foreignRootDer: Uint8Array = root
/** Its signer: the certificate and the private key. */
export const foreignLeaf = { der: leaf, jwk: made.leafJwk }
/** The name of the signer. */
export const foreignSubject = 'C=NL,CN=Test DS'
/** The type of the mdocs that the foreign issuer issues. */
export const foreignDocType = 'org.iso.18013.5.1.mDL'
/** Their namespace. */
export const foreignNameSpace = 'org.iso.18013.5.1'

/** What a foreign mdoc says, as the API shows it. */
export const foreignElements = {
  family_name: 'Jansen',
  birth_date: '1990-02-28',
  issuing_country: 'NL',
  height: 178,
  portrait: Buffer.from('ffd8ffe0', 'hex').toString('base64url'),
  driving_privileges: [{ vehicle_category_code: 'B', issue_date: '2010-01-01' }],
}

/** What is to be issued, before it is signed. */
export type MdocAsk = {
  readonly docType: string
  readonly elements: Readonly<Record<string, unknown>>
  readonly deviceKey: object
  readonly chain: readonly Uint8Array[]
  /** Namespaces whose elements the device may sign. */
  readonly authorized?: readonly string[]
  readonly validityInfo: { readonly signed: Date; readonly validFrom: Date; readonly validUntil: Date }
}

/** Where a test makes the signer of mdocs lie: before it signs, and with the finished one. */
export type MdocLies = {
  readonly mdoc?: (ask: MdocAsk, copy: number) => MdocAsk
  readonly raw?: (raw: string, copy: number) => string
}

/** Issues an mdoc with a library that is not ours. */
export async function issueForeignMdoc(key: object, copy: number, lies: MdocLies): Promise<string> {
  const { crv, kty, x, y } = Object(key)
  const signed = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 60_000)
  const validUntil = new Date(signed.getTime() + 86_400_000)
  const elements = {
    ...foreignElements,
    birth_date: new DateOnly('1990-02-28'),
    portrait: Buffer.from('ffd8ffe0', 'hex'),
    driving_privileges: [
      new Map<string, unknown>([
        ['vehicle_category_code', 'B'],
        ['issue_date', new DateOnly('2010-01-01')],
      ]),
    ],
  }
  const honest = { docType: foreignDocType, elements, deviceKey: { crv, kty, x, y }, chain: [leaf as Uint8Array] }
  const ask: MdocAsk = { ...honest, validityInfo: { signed, validFrom: signed, validUntil } }
  const { docType, ...content } = lies.mdoc?.(ask, copy) ?? ask
  const issuer = new Issuer(docType, owfContext).addIssuerNamespace(foreignNameSpace, content.elements)
  const issued = await issuer.sign({
    signingKey: CoseKey.fromJwk(made.leafJwk),
    algorithm: SignatureAlgorithm.ES256,
    digestAlgorithm: 'SHA-256',
    validityInfo: content.validityInfo,
    deviceKeyInfo: {
      deviceKey: DeviceKey.fromJwk({ ...content.deviceKey }),
      ...(content.authorized && {
        keyAuthorizations: KeyAuthorizations.create({ namespaces: [...content.authorized] }),
      }),
    },
    certificates: [...content.chain],
  })
  const raw = issued.encodedForOid4Vci
  return lies.raw?.(raw, copy) ?? raw
}
