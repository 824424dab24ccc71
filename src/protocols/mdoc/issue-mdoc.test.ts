import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  aDraft,
  anMdoc,
  certificate,
  deviceKey,
  licence,
  licenceRules,
  noon,
  signer,
} from '../../../test/support/mdoc.ts'
import { sha256 } from '../../crypto/digest.ts'
import { thumbprint } from '../../crypto/jwk.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { decodeCbor } from '../cbor/decode.ts'
import { type Cbor, isCborArray, isCborMap } from '../cbor/value.ts'
import { mdocClaims } from './claims.ts'
import { toElements } from './element-type.ts'
import type { MdocDraft, MdocSigner } from './issue-mdoc.ts'
import { parseIssuerSigned } from './issuer-signed.ts'
import { mdl } from './mdl.ts'
import { planValidity } from './plan-validity.ts'
import { checkReceivedMdoc } from './verify-issuer-signed.ts'

const agreed = { certificate, now: noon, docType: mdl.docType, holderKey: deviceKey.publicJwk }
const unissuable = { code: 'mdoc.unissuable' }

describe('an issued mdoc', () => {
  test('says exactly its elements and satisfies its holder', async () => {
    const mdoc = parseIssuerSigned((await anMdoc()).toString('base64url'))
    assert.deepEqual(checkReceivedMdoc(mdoc, agreed), [])
    assert.deepEqual(mdocClaims(mdoc.nameSpaces), licence)
    assert.equal(mdoc.mso.deviceKey && thumbprint(mdoc.mso.deviceKey), thumbprint(deviceKey.publicJwk))
    assert.deepEqual(mdoc.mso.status, aDraft().status)
    assert.deepEqual(mdoc.x5chain, signer.x5chain)
  })

  test('signed with Ed25519 for an Ed25519 holder satisfies its holder', async () => {
    const [key, holder] = [0, 1].map(() => softwareKey(generateKeyPairSync('ed25519').privateKey))
    assert(key && holder)
    const mdoc = parseIssuerSigned(await anMdoc({ deviceKey: holder.publicJwk }, { ...signer, key }))
    const leaf = { ...certificate, key: key.publicJwk }
    assert.deepEqual(checkReceivedMdoc(mdoc, { ...agreed, certificate: leaf, holderKey: holder.publicJwk }), [])
  })

  test('is untagged, has its chain in the unprotected header and nothing but the algorithm in the protected one [MD-4]', async () => {
    const issued = decodeCbor(await anMdoc({}, { ...signer, x5chain: [Buffer.from('leaf'), Buffer.from('between')] }))
    const { issuerAuth } = parseIssuerSigned(await anMdoc())
    assert(isCborMap(issued) && isCborArray(issued.get('issuerAuth') ?? null))
    assert.deepEqual([...issuerAuth.protectedHeader], [[1, -7]])
    assert.deepEqual([...issuerAuth.unprotectedHeader], [[33, Buffer.from('leaf')]])
  })

  test('has digests over the complete tagged items, and a random string of 32 bytes in each [MD-1] [MD-2]', async () => {
    const { mso, nameSpaces } = parseIssuerSigned(await anMdoc())
    const items = [...nameSpaces].flatMap(([nameSpace, all]) => all.map((one) => ({ nameSpace, ...one })))
    assert.equal(items.length, 15)
    const randoms = items.map(({ nameSpace, digestId, bytes }) => {
      assert.deepEqual(mso.valueDigests.get(nameSpace)?.get(digestId), sha256(bytes))
      assert.equal(bytes.subarray(0, 2).toString(), Buffer.from('d818', 'hex').toString())
      const random = inside(bytes).get('random')
      return Buffer.isBuffer(random) && random.length === 32 ? random.toString('hex') : null
    })
    assert.equal(new Set(randoms).size, 15)
    assert(!randoms.includes(null))
  })
})

describe('an issued mdoc', () => {
  test('has digest ids that are a new permutation each time [MD-2]', async () => {
    const issued = await Promise.all(Array.from({ length: 5 }, () => anMdoc()))
    const orders = issued.map((mdoc) =>
      (parseIssuerSigned(mdoc).nameSpaces.get(mdl.nameSpace) ?? []).map((one) => one.digestId),
    )
    for (const order of orders)
      assert.deepEqual(
        order.toSorted((a, b) => a - b),
        [...order.keys()],
      )
    assert.equal(new Set(orders.map(String)).size, 5)
  })

  test('of a namespace without elements has one digest nonetheless, and so has one without namespaces [MD-7]', async () => {
    for (const [elements, nameSpace] of [
      [new Map([['a.b', new Map()]]), 'a.b'],
      [new Map(), 'card'],
    ] as const) {
      const { mso, nameSpaces } = parseIssuerSigned(await anMdoc({ docType: 'card', elements }))
      assert.deepEqual([[...mso.valueDigests.keys()], mso.valueDigests.get(nameSpace)?.size], [[nameSpace], 1])
      assert.equal(nameSpaces.size, 0)
    }
  })

  test('has whole seconds in UTC for its times [MD-3]', async () => {
    const signed = new Date('2026-11-20T10:00:00.987Z')
    const mdoc = await anMdoc({
      validityInfo: { signed, validFrom: signed, validUntil: certificate.notAfter, expectedUpdate: noon },
    })
    const { validityInfo } = parseIssuerSigned(mdoc).mso
    assert.equal(validityInfo.signed.toISOString(), '2026-11-20T10:00:00.000Z')
    assert.deepEqual(validityInfo.expectedUpdate, noon)
    assert(mdoc.includes('t2026-11-20T10:00:00Z'))
  })

  test('may let its holder state elements [MD-23]', async () => {
    const keyAuthorizations = { nameSpaces: ['a'], dataElements: new Map([['b', ['c']]]) }
    assert.deepEqual(parseIssuerSigned(await anMdoc({ keyAuthorizations })).mso.keyAuthorizations, keyAuthorizations)
  })
})

const times = aDraft().validityInfo
const later = (date: Date, ms: number) => new Date(date.getTime() + ms)
const outlived = { ...signer, certificate: { ...certificate, notAfter: later(times.validUntil, -1000) } }
for (const [what, change, by] of [
  ['without a document type', { docType: '' }],
  ['without a certificate', {}, { ...signer, x5chain: [] }],
  ['signed before its certificate [MD-3]', {}, { ...signer, certificate: { ...certificate, notBefore: noon } }],
  ['that outlives its certificate [MD-3]', {}, outlived],
  ['that is valid before it is signed [MD-3]', { validityInfo: { ...times, validFrom: later(times.signed, -1) } }],
  ['that is never valid [MD-3]', { validityInfo: { ...times, validUntil: times.validFrom } }],
  [
    'from another country than its certificate [MD-9]',
    {},
    { ...signer, certificate: { ...certificate, countryName: 'BE' } },
  ],
  ['that is an mDL without its mandatory elements [MD-8]', { elements: new Map() }],
] as readonly (readonly [string, Partial<MdocDraft>, MdocSigner?])[]) {
  test(`an mdoc ${what} is not issued`, () => assert.rejects(() => anMdoc(change, by), unissuable))
}

test('a refusal names every mandatory element that is missing [MD-8]', async () => {
  await assert.rejects(
    () => anMdoc({ elements: new Map() }),
    (error: { violations?: readonly unknown[] }) => error.violations?.length === 11,
  )
})

test('times are planned by whole days, inside the certificate [MD-3]', () => {
  const plan = (now: string, more: { validFrom?: Date; validUntil?: Date } = {}) => {
    const { signed, validFrom, validUntil } = planValidity({ now: new Date(now), ...more }, certificate)
    return [signed, validFrom, validUntil].map((one) => one.toISOString().replace('.000Z', ''))
  }
  assert.deepEqual(plan('2026-11-20T13:14:15Z'), ['2026-11-20T00:00:00', '2026-11-20T00:00:00', '2027-11-30T00:00:00'])
  assert.deepEqual(plan('2026-11-01T09:00:00Z'), ['2026-11-01T08:30:00', '2026-11-01T08:30:00', '2027-11-30T00:00:00'])
  const more = { validFrom: new Date('2026-12-01T05:00:00Z'), validUntil: new Date('2030-01-01T05:00:00Z') }
  assert.deepEqual(plan('2026-11-20T13:14:15Z', more), [
    '2026-11-20T00:00:00',
    '2026-12-01T00:00:00',
    '2027-11-30T08:30:00',
  ])
})

test('values become elements by the rules of the template only: no date is guessed [MD-8]', () => {
  const { elements, violations } = toElements(licenceRules, licence)
  assert.deepEqual(violations, [])
  const own = elements.get(mdl.nameSpace)
  assert.deepEqual(own?.get('birth_date'), { tag: 1004, value: '1990-02-28', bytes: null })
  assert.deepEqual(own?.get('expiry_date'), { tag: 0, value: '2031-11-20T00:00:00Z', bytes: null })
  assert.deepEqual(own?.get('height'), 178)
  assert.deepEqual(elements.get('nl.example.extra')?.get('points'), { float: 4.5 })
  const note = elements.get('nl.example.extra')?.get('note')
  assert(note instanceof Map)
  assert.equal(note.get('since'), '2020-01-01')
})

function inside(bytes: Uint8Array): ReadonlyMap<unknown, Cbor> {
  const item = decodeCbor(bytes)
  assert(typeof item === 'object' && item !== null && 'tag' in item && item.value instanceof Uint8Array)
  const map = decodeCbor(item.value)
  assert(isCborMap(map))
  return map
}
