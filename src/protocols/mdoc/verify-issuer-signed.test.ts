import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { anMdoc, certificate, deviceKey, noon, signerKey } from '../../../test/support/mdoc.ts'
import { digestBytes, type HashName, sha256 } from '../../crypto/digest.ts'
import { Fault } from '../../fault.ts'
import { embed, encodeCbor } from '../cbor/encode.ts'
import { type Cbor, tagged } from '../cbor/value.ts'
import { toCoseKey } from '../cose/cose-key.ts'
import { sign1 } from '../cose/sign1.ts'
import { parseDeviceResponse } from './device-response.ts'
import { parseIssuerSigned } from './issuer-signed.ts'
import { mdl } from './mdl.ts'
import { checkReceivedMdoc, outlivesSigner } from './verify-issuer-signed.ts'

const agreed = { certificate, now: noon, docType: 'card', holderKey: deviceKey.publicJwk }
const leaf = new Map([[33, certificate.der]])
const codesOf = (mdoc: Uint8Array, more: object = {}) =>
  checkReceivedMdoc(parseIssuerSigned(mdoc), { ...agreed, ...more }).map(({ code }) => code)

const item = (digestID: Cbor, elementIdentifier: Cbor, elementValue: Cbor = 1): Buffer =>
  encodeCbor(
    embed(
      new Map<string, Cbor>([
        ['digestID', digestID],
        ['random', Buffer.alloc(16)],
        ['elementIdentifier', elementIdentifier],
        ['elementValue', elementValue],
      ]),
    ),
  )
const good = item(0, 'name')
const time = (text: string) => tagged(0, text)
const times = {
  signed: time('2026-11-20T00:00:00Z'),
  validFrom: time('2026-11-20T00:00:00Z'),
  validUntil: time('2027-11-20T00:00:00Z'),
}
const record = (members: object) => new Map<string, Cbor>(Object.entries(members))
const digests = (...items: readonly Uint8Array[]) => new Map(items.map((one, id) => [id, sha256(one)]))

/** An mdoc of any parts, signed as if it were right. */
async function forged(
  parts: { mso?: object; key?: Cbor; items?: readonly Uint8Array[]; nameSpaces?: Cbor; issuerSigned?: object } = {},
): Promise<Buffer> {
  const items = parts.items ?? [good]
  const mso = record({
    version: '1.0',
    digestAlgorithm: 'SHA-256',
    valueDigests: new Map([['n', digests(good)]]),
    deviceKeyInfo: new Map([['deviceKey', parts.key ?? toCoseKey(deviceKey.publicJwk)]]),
    docType: 'card',
    validityInfo: record(times),
    ...parts.mso,
  })
  const issuerAuth = await sign1({ payload: encodeCbor(embed(mso)), unprotectedHeader: leaf }, signerKey)
  const nameSpaces = parts.nameSpaces ?? new Map([['n', items.map((encoded) => ({ encoded }))]])
  return encodeCbor(record({ issuerAuth, nameSpaces, ...parts.issuerSigned }))
}

const hashed = (name: HashName) => new Map([['n', new Map([[0, digestBytes(name, good)]])]])
const twoIds = new Map([['n', digests(good, item(1, 'name'))]])
const country = item(0, 'issuing_country', 'BE')
const ofMdl = (one: Uint8Array) => ({
  mso: { valueDigests: new Map([[mdl.nameSpace, digests(one)]]) },
  nameSpaces: new Map([[mdl.nameSpace, [{ encoded: one }]]]),
})
const jurisdiction = item(0, 'issuing_jurisdiction', 'NL-NH')
/** As real wallets and issuers emit them: heads longer than needed, and keys in an order of their own. */
const oddContent = Buffer.concat([
  Buffer.from('bf', 'hex'),
  ...['elementValue', 'elementIdentifier', 'random', 'digestID'].map((name) =>
    Buffer.concat([
      encodeCbor(name),
      { elementValue: Buffer.from('1900ff', 'hex') }[name] ??
        encodeCbor({ elementIdentifier: 'name', random: Buffer.alloc(16), digestID: 0 }[name]),
    ]),
  ),
  Buffer.from('ff', 'hex'),
])
const odd = Buffer.concat([Buffer.from([0xd9, 0, 24, 0x5a, 0, 0, 0, oddContent.length]), oddContent])

for (const [what, mdoc, codes] of [
  ['as it should be', await forged(), []],
  [
    'that is not encoded as we would',
    await forged({ mso: { valueDigests: new Map([['n', digests(odd)]]) }, items: [odd] }),
    [],
  ],
  ['with SHA-384', await forged({ mso: { digestAlgorithm: 'SHA-384', valueDigests: hashed('sha384') } }), []],
  ['with SHA-512', await forged({ mso: { digestAlgorithm: 'SHA-512', valueDigests: hashed('sha512') } }), []],
  ['with unknown members', await forged({ mso: { futureMember: 1 }, issuerSigned: { other: 1 } }), []],
  [
    'with fractions of seconds and an offset',
    await forged({ mso: { validityInfo: record({ ...times, signed: time('2026-11-20T01:00:00.5+01:00') }) } }),
    [],
  ],
  ['of a later minor version', await forged({ mso: { version: '1.1' } }), []],
  ['of another major version', await forged({ mso: { version: '2.0' } }), ['mso.version']],
  ['of another type', await forged({ mso: { docType: 'cards' } }), ['mso.doc_type']],
  ['with a weak digest', await forged({ mso: { digestAlgorithm: 'SHA-1' } }), ['mso.digest_algorithm']],
  [
    'with a digest algorithm that objects inherit',
    await forged({ mso: { digestAlgorithm: 'constructor' } }),
    ['mso.digest_algorithm'],
  ],
  [
    'with a digest of another length [SEC-22]',
    await forged({ mso: { valueDigests: hashed('sha384') } }),
    ['digest.mismatch'],
  ],
  [
    'with a namespace that was not signed',
    await forged({ mso: { valueDigests: new Map([['m', digests(good)]]) } }),
    ['digest.unknown'],
  ],
  ['with an id that was not signed', await forged({ items: [item(1, 'name')] }), ['digest.unknown']],
  ['with another value', await forged({ items: [item(0, 'name', 2)] }), ['digest.mismatch']],
  ['with an element twice', await forged({ items: [good, good] }), ['digest.duplicate', 'element.duplicate']],
  [
    'with an element under two ids',
    await forged({ mso: { valueDigests: twoIds }, items: [good, item(1, 'name')] }),
    ['element.duplicate'],
  ],
  [
    'signed before its certificate',
    await forged({ mso: { validityInfo: record({ ...times, signed: time('2026-10-31T00:00:00Z') }) } }),
    ['validity.signed'],
  ],
  ['from another country [MD-9]', await forged(ofMdl(country)), ['issuer.country']],
  ['from another province [MD-9]', await forged(ofMdl(jurisdiction)), ['issuer.jurisdiction']],
  [
    'bound to a key that we cannot use',
    await forged({
      key: new Map([
        [1, 2],
        [-1, 2],
      ]),
    }),
    ['device_key.unsupported'],
  ],
  [
    'bound to the key of another holder',
    await forged({ key: toCoseKey(signerKey.publicJwk) }),
    ['device_key.unexpected'],
  ],
] as const) {
  test(`an mdoc ${what}: ${codes.join(' and ') || 'no finding'}`, () => assert.deepEqual(codesOf(mdoc), codes))
}

test('times are judged with a minute of tolerance; an end behind the day of the certificate is no finding', async () => {
  const at = async (text: string) => codesOf(await forged(), { now: new Date(text) })
  assert.deepEqual([await at('2026-11-19T23:59:00Z'), await at('2027-11-20T00:01:00Z')], [[], []])
  assert.deepEqual(
    [await at('2026-11-19T23:58:59Z'), await at('2027-11-20T00:01:01Z')],
    [['validity.early'], ['validity.expired']],
  )
  for (const [text, outlives] of [
    ['2027-11-30T23:59:59Z', false],
    ['2027-12-01T00:00:00Z', true],
  ] as const) {
    const mdoc = await forged({ mso: { validityInfo: record({ ...times, validUntil: time(text) }) } })
    assert.deepEqual([codesOf(mdoc), outlivesSigner(parseIssuerSigned(mdoc), certificate)], [[], outlives])
  }
})

test('an mdoc checked with another certificate than it names is refused, whoever signed it [MD-4]', async () => {
  const mdoc = parseIssuerSigned(await forged())
  for (const one of [
    { ...mdoc, x5chain: [] },
    { ...mdoc, x5chain: [Buffer.from('other')] },
  ])
    assert.deepEqual(
      checkReceivedMdoc(one, agreed).map(({ code }) => code),
      ['issuer_auth.certificate'],
    )
})

const sign = (payload: Cbor, more = {}) =>
  sign1({ payload: encodeCbor(payload), unprotectedHeader: leaf, ...more }, signerKey)
for (const [what, mdoc] of [
  ['no issuerAuth', encodeCbor(new Map([['nameSpaces', new Map()]]))],
  [
    'a tagged issuerAuth (6.1)',
    await forged({ issuerSigned: { issuerAuth: await sign(embed(1), { isTagged: true }) } }),
  ],
  ['a detached payload', await forged({ issuerSigned: { issuerAuth: await sign(embed(1), { isDetached: true }) } })],
  ['a payload that is not embedded', await forged({ issuerSigned: { issuerAuth: await sign(new Map()) } })],
  ['an empty security object', await forged({ issuerSigned: { issuerAuth: await sign(embed(new Map())) } })],
  ['namespaces that are no map', await forged({ nameSpaces: [] })],
  ['a namespace that is a number', await forged({ nameSpaces: new Map([[1, []]]) })],
  [
    'another member instead of nameSpaces',
    encodeCbor(record({ issuerAuth: await sign(embed(1)), nameSpacez: new Map() })),
  ],
  ['an element that is not embedded', await forged({ items: [encodeCbor(new Map())] })],
  ['an element with a negative id', await forged({ items: [item(-1, 'name')] })],
  ['an element with an id that is a float', await forged({ items: [item({ float: 0 }, 'name')] })],
  ['an element without a name', await forged({ items: [item(0, null)] })],
  ['an element named __proto__ [SEC-23]', await forged({ items: [item(0, '__proto__')] })],
  [
    'a time that is a text',
    await forged({ mso: { validityInfo: record({ ...times, signed: '2026-11-20T00:00:00Z' }) } }),
  ],
  ['a time that is no time', await forged({ mso: { validityInfo: record({ ...times, signed: time('yesterday') }) } })],
  [
    'a day that is no day',
    await forged({ mso: { validityInfo: record({ ...times, signed: time('2026-13-20T00:00:00Z') }) } }),
  ],
  ['digests that are texts', await forged({ mso: { valueDigests: new Map([['n', new Map([[0, 'digest']])]]) } })],
  ['something behind it', Buffer.concat([await forged(), Buffer.alloc(1)])],
] as const) {
  test(`an mdoc with ${what} is malformed`, () => assert.throws(() => codesOf(mdoc), { code: 'mdoc.malformed' }))
}

test('whatever comes, the answer is findings or the refusal of malformed input', async () => {
  const whole = await anMdoc()
  const spoilt = fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const bytes = Buffer.from(whole)
      for (const [at, byte] of changes) bytes[at] = byte
      return bytes
    })
  const text = fc.oneof(fc.string(), fc.base64String())
  fc.assert(
    fc.property(fc.oneof(spoilt, fc.uint8Array(), text), (mdoc) => {
      for (const read of [() => checkReceivedMdoc(parseIssuerSigned(mdoc), agreed), () => parseDeviceResponse(mdoc)]) {
        try {
          read()
        } catch (error) {
          assert(error instanceof Fault && error.code === 'mdoc.malformed', String(error))
        }
      }
    }),
    { numRuns: 1000 },
  )
})
