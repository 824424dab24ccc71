import { sha256 } from '../../crypto/digest.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { Fault, type Violation } from '../../fault.ts'
import { embed, encodeCbor } from '../cbor/encode.ts'
import { type Cbor, cborTags, type Tagged, tagged } from '../cbor/value.ts'
import { toCoseKey } from '../cose/cose-key.ts'
import { headerLabels, sign1 } from '../cose/sign1.ts'
import { toX5chain } from '../cose/x5chain.ts'
import { checkMdlElements } from './check-mdl.ts'
import type { Elements } from './element-type.ts'
import type { KeyAuthorizations, ValidityInfo } from './mobile-security-object.ts'
import type { SignerCertificate } from './signer-certificate.ts'

/** Content of an mdoc. Times are written in whole seconds. */
export type MdocDraft = {
  readonly docType: string
  readonly elements: Elements
  /** The holder's key, from its proof. */
  readonly deviceKey: PublicJwk
  readonly validityInfo: ValidityInfo
  readonly status?: { readonly status_list: { readonly idx: number; readonly uri: string } } | undefined
  readonly keyAuthorizations?: KeyAuthorizations | undefined
}

/** The signer. `x5chain`: DER, leaf first, without the root. `certificate`: the fields of the leaf. */
export type MdocSigner = {
  readonly key: SigningKey
  readonly x5chain: readonly Uint8Array[]
  readonly certificate: SignerCertificate
}

/** [MD-2] At least 16. */
const RANDOM_BYTES = 32
const DIGEST_BYTES = 32

type Random = (size: number) => Buffer

/**
 * Issues an mdoc: one signature, one random string for each element. Returns IssuerSigned as CBOR; on the wire it is
 * base64url.
 *
 * NOT checked: whether `key` is the one in the leaf, and whether the leaf may sign credentials.
 *
 * @param random Source of random bytes; replaced in tests only.
 * @throws Fault `mdoc.unissuable` with the violations; pointers refer to the elements.
 * @see ISO/IEC 18013-5, 9.1.2 (2021)
 */
export async function issueMdoc(draft: MdocDraft, signer: MdocSigner, random: Random = randomBytes): Promise<Buffer> {
  const violations = [
    ...checkDraft(draft, signer),
    ...checkMdlElements(draft.docType, draft.elements, signer.certificate),
  ]
  if (violations.length > 0)
    throw new Fault('mdoc.unissuable', { detail: violations.map((one) => one.detail).join(' '), violations })
  const nameSpaces = [...draft.elements].map(([name, elements]) => ({ name, ...packNameSpace(elements, random) }))
  const valueDigests = new Map(nameSpaces.map(({ name, digests }) => [name, digests]))
  // ISO/IEC 18013-5, 9.1.2.4: there is at least one namespace with digests
  if (valueDigests.size === 0) valueDigests.set(draft.docType, new Map([[0, random(DIGEST_BYTES)]]))
  const issuerAuth = await sign1(
    {
      payload: encodeCbor(embed(securityObject(draft, valueDigests))),
      unprotectedHeader: new Map([[headerLabels.x5chain, toX5chain(signer.x5chain)]]),
    },
    signer.key,
  )
  const shown = nameSpaces.filter(({ items }) => items.length > 0)
  return encodeCbor(
    new Map<string, Cbor>([
      ['issuerAuth', issuerAuth],
      ['nameSpaces', new Map(shown.map(({ name, items }) => [name, items]))],
    ]),
  )
}

type Digests = ReadonlyMap<number, Uint8Array>

function packNameSpace(elements: ReadonlyMap<string, Cbor>, random: Random) {
  // [MD-7] a namespace without elements has a digest too
  if (elements.size === 0) return { items: [], digests: new Map([[0, random(DIGEST_BYTES)]]) }
  const ids = shuffled(elements.size, random)
  const items: Cbor[] = []
  const digests = new Map<number, Uint8Array>()
  for (const [name, value] of elements) {
    const digestId = ids.pop() ?? 0
    const item = encodeCbor(embed(itemOf(digestId, random(RANDOM_BYTES), name, value)))
    // [MD-1] over the tagged item
    digests.set(digestId, sha256(item))
    items.push({ encoded: item })
  }
  return { items, digests }
}

function itemOf(digestId: number, random: Uint8Array, name: string, value: Cbor): Cbor {
  return new Map<string, Cbor>([
    ['digestID', digestId],
    ['random', random],
    ['elementIdentifier', name],
    ['elementValue', value],
  ])
}

/** [MD-2] The numbers below `count` in random order. */
function shuffled(count: number, random: Random): number[] {
  const ids = Array.from({ length: count }, (_, id) => id)
  for (let last = count - 1; last > 0; last -= 1) {
    const other = random(4).readUInt32BE() % (last + 1)
    const moved = ids[last] ?? 0
    ids[last] = ids[other] ?? 0
    ids[other] = moved
  }
  return ids
}

function securityObject(draft: MdocDraft, valueDigests: ReadonlyMap<string, Digests>): Cbor {
  const { docType, deviceKey, keyAuthorizations, status } = draft
  return new Map<string, Cbor>([
    ['version', '1.0'],
    ['digestAlgorithm', 'SHA-256'],
    ['valueDigests', valueDigests],
    ['deviceKeyInfo', keyInfo(deviceKey, keyAuthorizations)],
    ['docType', docType],
    ['validityInfo', validity(draft.validityInfo)],
    ...(status === undefined ? [] : ([['status', statusOf(status)]] as const)),
  ])
}

function keyInfo(deviceKey: PublicJwk, authorizations: KeyAuthorizations | undefined): Cbor {
  const info = new Map<string, Cbor>([['deviceKey', toCoseKey(deviceKey)]])
  if (authorizations === undefined) return info
  const { nameSpaces, dataElements } = authorizations
  const written = new Map<string, Cbor>()
  if (nameSpaces.length > 0) written.set('nameSpaces', nameSpaces)
  if (dataElements.size > 0) written.set('dataElements', dataElements)
  return info.set('keyAuthorizations', written)
}

function validity({ signed, validFrom, validUntil, expectedUpdate }: ValidityInfo): Cbor {
  return new Map<string, Cbor>([
    ['signed', toTdate(signed)],
    ['validFrom', toTdate(validFrom)],
    ['validUntil', toTdate(validUntil)],
    ...(expectedUpdate === undefined ? [] : ([['expectedUpdate', toTdate(expectedUpdate)]] as const)),
  ])
}

/** [MD-3] UTC, without fractions. */
function toTdate(time: Date): Tagged {
  return tagged(cborTags.dateTime, `${time.toISOString().slice(0, 19)}Z`)
}

function statusOf({ status_list }: NonNullable<MdocDraft['status']>): Cbor {
  return new Map([['status_list', new Map<string, Cbor>(Object.entries(status_list))]])
}

function checkDraft({ docType, elements, validityInfo }: MdocDraft, { x5chain, certificate }: MdocSigner): Violation[] {
  const { signed, validFrom, validUntil } = validityInfo
  const details: string[] = []
  if (docType === '') details.push('An mdoc has a document type.')
  if (elements.has('')) details.push('A namespace has a name.')
  if (x5chain.length === 0) details.push('An mdoc is signed with a certificate.')
  // [MD-3]
  if (signed < certificate.notBefore || signed > certificate.notAfter)
    details.push('It must be signed while the certificate of the signer is valid.')
  if (validFrom < signed) details.push('It must not be valid before it is signed.')
  if (validUntil <= validFrom) details.push('It must be valid for some time.')
  if (validUntil > certificate.notAfter)
    details.push('It must not be valid for longer than the certificate of its signer.')
  return details.map((detail) => ({ detail }))
}
