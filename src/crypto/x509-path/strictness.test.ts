// Certificates and lists that are signed well and written badly: each is refused, and by the one rule that it breaks.
import assert from 'node:assert/strict'
import { createECDH, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { cpuTimer } from '../../../test/support/cpu-time.ts'
import { softwareKey } from '../signing-key.ts'
import { type Certificate, readCertificate } from '../x509/certificate.ts'
import { readCrl } from '../x509/crl.ts'
import {
  bitString,
  boolean,
  derInteger,
  derTime,
  element,
  explicit,
  octetString,
  oid,
  sequence,
} from '../x509/encode-der.ts'
import { keyIdentifierOf } from '../x509/key-identifier.ts'
import { encodeName } from '../x509/name.ts'
import { signDer, spkiOf } from '../x509/signature.ts'
import { anchorSetOf } from './anchor.ts'
import type { PathFindingCode } from './path-findings.ts'
import { validatePath } from './validate-path.ts'

const now = new Date('2026-06-01T00:00:00.000Z')
const spans = sequence(derTime(new Date('2026-01-01')), derTime(new Date('2026-12-31')))
const rootKey = softwareKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
const leafKey = softwareKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
const [rootSpki, leafSpki] = [spkiOf(rootKey.publicJwk), spkiOf(leafKey.publicJwk)]
const rootName = encodeName({ country: 'ZA', commonName: 'Root' })
const ecdsa = sequence(oid('1.2.840.10045.4.3.2'))
const NULL = Buffer.from('0500', 'hex')

type Extension = readonly [type: string, value: Buffer, isCritical?: true]
const critical = ([type, value]: Extension): Extension => [type, value, true]
const keyId = (spki: Buffer): Extension => ['2.5.29.14', octetString(keyIdentifierOf(spki))]
const authority: Extension = ['2.5.29.35', sequence(element(0x80, keyIdentifierOf(rootSpki)))]
const usage = (bits: string): Extension => ['2.5.29.15', Buffer.from(bits, 'hex'), true]
const signs = usage('03020780')
const names = (...all: readonly Buffer[]): Extension => ['2.5.29.17', sequence(...all)]
const dns = (name: string) => element(0x82, Buffer.from(name))
const authorities: Extension = ['2.5.29.19', sequence(boolean(true)), true]
const ofLeaf = [keyId(leafSpki), authority, signs, names(dns('a.example'))]
const ofRoot = [keyId(rootSpki), usage('03020106'), authorities]

function extensions(all: readonly Extension[]): Buffer {
  return sequence(
    ...all.map(([type, value, isCritical = false]) =>
      sequence(oid(type), ...(isCritical ? [boolean(true)] : []), octetString(value)),
    ),
  )
}

/** Parts of a certificate in place of the good ones. */
type Parts = {
  readonly version?: Buffer
  readonly serial?: Buffer
  readonly algorithm?: Buffer
  readonly subject?: Buffer
  readonly spki?: Buffer
  readonly extensions?: readonly Extension[]
  readonly tail?: readonly Buffer[]
  /** In place of the BIT STRING of the signature, out of its content. */
  readonly signature?: (content: Buffer) => Buffer
}

function certificate(parts: Parts = {}): Promise<Buffer> {
  const algorithm = parts.algorithm ?? ecdsa
  const body = sequence(
    parts.version ?? explicit(0, derInteger(2)),
    parts.serial ?? derInteger(7),
    algorithm,
    rootName,
    spans,
    parts.subject ?? encodeName({ country: 'ZA', commonName: 'Leaf' }),
    parts.spki ?? leafSpki,
    ...(parts.tail ?? [explicit(3, extensions(parts.extensions ?? ofLeaf))]),
  )
  return resigned(body, algorithm, parts.signature)
}

/** Signed by the root, under any algorithm identifier. */
async function resigned(body: Buffer, algorithm: Buffer, signature: Parts['signature'] = bitString): Promise<Buffer> {
  const raw = await signDer(body, rootKey)
  const whole = raw.subarray(raw.length - signatureLength(raw, body))
  return sequence(body, algorithm, signature(whole.subarray(3)))
}

function signatureLength(whole: Buffer, body: Buffer): number {
  const header = whole.length - body.length - ecdsa.length
  return header - ((whole[1] ?? 0) > 0x80 ? 2 + ((whole[1] ?? 0) & 0x7f) : 2)
}

async function root(parts: Parts = {}) {
  return readCertificate(await certificate({ subject: rootName, spki: rootSpki, extensions: ofRoot, ...parts }))
}

async function codesOf(leaf: Buffer, anchor?: Certificate): Promise<readonly string[]> {
  const anchors = anchorSetOf([{ certificate: anchor ?? (await root()), purposes: ['issuer'], owner: 'one' }])
  return validatePath({ chain: [leaf], anchors, purpose: 'issuer', at: now }).findings.map(({ code }) => code)
}

/** The curve P-256 by its numbers instead of by its name. */
function explicitCurve(): Buffer {
  const bytes = (hex: string) => derInteger(Buffer.from(hex, 'hex'))
  const p = 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff'
  const a = 'ffffffff00000001000000000000000000000000fffffffffffffffffffffffc'
  const b = '5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b'
  const g =
    '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5'
  const n = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
  const field = sequence(oid('1.2.840.10045.1.1'), bytes(p))
  const curve = sequence(octetString(Buffer.from(a, 'hex')), octetString(Buffer.from(b, 'hex')))
  const domain = sequence(derInteger(1), field, curve, octetString(Buffer.from(g, 'hex')), bytes(n), derInteger(1))
  const ecdh = createECDH('prime256v1')
  return sequence(sequence(oid('1.2.840.10045.2.1'), domain), bitString(ecdh.generateKeys()))
}

const good = explicit(3, extensions(ofLeaf))
const withBits = (unused: number) => (content: Buffer) => element(0x03, Buffer.of(unused), content)

test('what the rows below are made from is good', async () => {
  assert.deepEqual(await codesOf(await certificate()), [])
  for (const name of ['a.example', '*.a.example', 'localhost', 'xn--bcher-kva.example']) {
    assert.deepEqual(
      await codesOf(await certificate({ extensions: [...ofLeaf.slice(0, 3), names(dns(name))] })),
      [],
      name,
    )
  }
  const nameless = {
    subject: sequence(),
    extensions: [...ofLeaf.slice(0, 3), critical(names(dns('a.example')))],
  }
  assert.deepEqual(await codesOf(await certificate(nameless)), [])
})

const malformed: readonly (readonly [what: string, parts: Parts, why: RegExp])[] = [
  ['a signature that says to have 2 unused bits', { signature: withBits(2) }, /unused bits/],
  ['unused bits of a key usage that are not zero', { extensions: [usage('03020781')] }, /unused bits/],
  ['a key with unused bits', { spki: sequence(sequence(oid('1.3.101.112')), withBits(1)(Buffer.alloc(32))) }, /unused/],
  ['a second [3]', { tail: [good, good] }, /surplus/],
  ['a second SEQUENCE inside [3]', { tail: [explicit(3, extensions(ofLeaf), sequence())] }, /one element inside/],
  ['nothing inside [3]', { tail: [explicit(3)] }, /one element inside/],
  ['unique identifiers behind the extensions', { tail: [good, element(0x81, Buffer.of(0, 1))] }, /surplus/],
  ['a second version', { version: explicit(0, derInteger(2), derInteger(2)) }, /one element inside/],
  ['a version that DER leaves out', { version: explicit(0, derInteger(0)) }, /surplus/],
  ['version 4', { version: explicit(0, derInteger(3)) }, /version/],
  ['ECDSA with parameters', { algorithm: sequence(oid('1.2.840.10045.4.3.2'), NULL) }, /parameters/],
  [
    'RSA with other parameters than NULL',
    { algorithm: sequence(oid('1.2.840.113549.1.1.11'), derInteger(1)) },
    /parameters/,
  ],
  [
    'a third part of the key',
    { spki: sequence(sequence(oid('1.3.101.112')), bitString(Buffer.alloc(32)), NULL) },
    /surplus/,
  ],
]

for (const [what, parts, why] of malformed) {
  test(`no certificate: ${what}`, async () => {
    await assert.rejects(
      async () => readCertificate(await certificate(parts)),
      (error: Error) => why.test(error.message),
    )
    assert.deepEqual(await codesOf(await certificate(parts)), ['chain.malformed'])
  })
}

const bad: readonly (readonly [what: string, code: PathFindingCode, parts: Parts])[] = [
  ['the serial number 0', 'certificate.serial', { serial: derInteger(0) }],
  ['a curve by its numbers', 'certificate.weak_key', { spki: explicitCurve() }],
  [
    'a critical authority key identifier',
    'certificate.criticality',
    { extensions: [...ofLeaf.filter((one) => one !== authority), critical(authority)] },
  ],
  [
    'a critical subject key identifier',
    'certificate.criticality',
    { extensions: [critical(keyId(leafSpki)), ...ofLeaf.slice(1)] },
  ],
  ['neither subject nor critical alternative name', 'certificate.subject', { subject: sequence() }],
  ...[
    'a_b.example',
    '192.0.2.1',
    '2001:db8::1',
    'a b.example',
    '-a.example',
    'a..example',
    'a.*.example',
    'a.example.',
  ].map(
    (name) =>
      [
        `the DNS name "${name}"`,
        'certificate.dns_name',
        { extensions: [...ofLeaf.slice(0, 3), names(dns(name))] },
      ] as const,
  ),
  ['the right to sign certificates', 'leaf.is_ca', { extensions: [...ofLeaf.slice(0, 2), usage('03020284')] }],
]

for (const [what, code, parts] of bad) {
  test(`refused: a leaf with ${what}`, async () => assert.deepEqual(await codesOf(await certificate(parts)), [code]))
}

test('refused: a root with basic constraints that are not critical', async () => {
  const loose = await root({ extensions: [...ofRoot.slice(0, 2), ['2.5.29.19', sequence(boolean(true))]] })
  assert.deepEqual(await codesOf(await certificate(), loose), ['certificate.criticality'])
})

const number: Extension = ['2.5.29.20', derInteger(1)]
const times = [derTime(new Date('2026-05-01')), derTime(new Date('2026-07-01'))]

function crl(all: readonly Extension[], parts: Pick<Parts, 'signature' | 'tail'> = {}): Promise<Buffer> {
  const tail = parts.tail ?? [explicit(0, extensions(all))]
  return resigned(sequence(derInteger(1), ecdsa, rootName, ...times, ...tail), ecdsa, parts.signature)
}

test('a list with its number is good; without, or with a critical one or authority, it is none to rely on', async () => {
  const codes = async (all: readonly Extension[]) => {
    const anchors = anchorSetOf([{ certificate: await root(), purposes: ['issuer'], owner: 'one' }])
    const revocation = { crls: [readCrl(await crl(all))], policy: 'hard' } as const
    const { findings } = validatePath({ chain: [await certificate()], anchors, purpose: 'issuer', at: now, revocation })
    return findings.map(({ code }) => code)
  }
  assert.deepEqual(await codes([authority, number]), [])
  for (const all of [[authority], [authority, critical(number)], [critical(authority), number]]) {
    assert.deepEqual(await codes(all), ['crl.unsupported'])
  }
})

test('a revocation list of more than a megabyte is not read, and one of a megabyte within a second', async () => {
  const entry = sequence(derInteger(Buffer.from('0102030405060708', 'hex')), derTime(now))
  const list = (count: number) =>
    crl([number], {
      tail: [element(0x30, Buffer.alloc(count * entry.length, entry)), explicit(0, extensions([number]))],
    })
  const fits = Math.floor(1_048_000 / entry.length)
  const spent = cpuTimer()
  assert(readCrl(await list(fits)).revoked.has('0102030405060708'))
  assert(spent() < 1000)
  await assert.rejects(async () => readCrl(await list(fits + 100)), { code: 'certificate.invalid' })
})

for (const [what, parts] of [
  ['a signature that says to have unused bits', { signature: withBits(1) }],
  ['a second SEQUENCE inside [0]', { tail: [explicit(0, extensions([number]), sequence())] }],
  [
    'a fourth part of an entry',
    {
      tail: [sequence(sequence(derInteger(5), derTime(now), extensions([]), NULL)), explicit(0, extensions([number]))],
    },
  ],
] as const) {
  test(`no revocation list: one with ${what}`, async () => {
    await assert.rejects(async () => readCrl(await crl([number], parts)), { code: 'certificate.invalid' })
  })
}
