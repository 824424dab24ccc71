import type { DeviceAlgorithm } from '../../../src/keys/signing-device.ts'
import { attributes, isOneOf, mechanisms, objectClasses } from './cryptoki.ts'
import { mechanism, type Pkcs11Attribute, readUlong, template, ULONG_BYTES, ulong, valueIn } from './structs.ts'
import type { TokenSession } from './token.ts'

/** An algorithm whose keys are on a curve. */
type CurveAlgorithm = Exclude<DeviceAlgorithm, 'RS256'>

/** The handles of a key pair. */
export type Pair = { readonly publicKey: bigint; readonly privateKey: bigint }

/** Of P-256 and of Ed25519. */
const SIGNATURE_BYTES = 64
const RSA_BITS = 2048
const RSA_EXPONENT = 65_537
const RSA_SIGNATURE_BYTES = RSA_BITS / 8
/** A modulus of 2048 bits, with a leading zero. */
const VALUE_BYTES_MAX = 257

/** ECParameters: the curve by its OID; tokens from before RFC 8410 name the Edwards curve (PKCS #11 v3.0, 2.3.10). */
const curves: Readonly<Record<CurveAlgorithm, readonly Buffer[]>> = {
  ES256: [Buffer.from('06082a8648ce3d030107', 'hex')],
  EdDSA: [Buffer.from('06032b6570', 'hex'), Buffer.concat([Buffer.from([0x13, 12]), Buffer.from('edwards25519')])],
}

/** Generates a key pair in the token; the private key is sensitive and not extractable. */
export async function generatePair(
  session: TokenSession,
  alg: CurveAlgorithm,
  generates: number,
  id: string,
): Promise<Pair> {
  const [first, ...others] = curves[alg]
  if (first === undefined) throw new Error('a curve without a name')
  try {
    return await generateWith(session, [[attributes.CKA_EC_PARAMS, first]], generates, id)
  } catch (error) {
    const [other] = others
    const isCurve = isOneOf(error, [
      'CKR_DOMAIN_PARAMS_INVALID',
      'CKR_CURVE_NOT_SUPPORTED',
      'CKR_ATTRIBUTE_VALUE_INVALID',
      'CKR_TEMPLATE_INCONSISTENT',
      'CKR_GENERAL_ERROR',
      'CKR_FUNCTION_FAILED',
    ])
    if (other === undefined || !isCurve) throw error
    return generateWith(session, [[attributes.CKA_EC_PARAMS, other]], generates, id)
  }
}

/** As {@link generatePair}, of RSA. */
export function generateRsaPair(session: TokenSession, id: string): Promise<Pair> {
  const exponent = Buffer.alloc(4)
  exponent.writeUInt32BE(RSA_EXPONENT)
  const size: Pkcs11Attribute[] = [
    [attributes.CKA_MODULUS_BITS, RSA_BITS],
    // A big integer of PKCS #11 has no leading zeros.
    [attributes.CKA_PUBLIC_EXPONENT, exponent.subarray(1)],
  ]
  return generateWith(session, size, mechanisms.CKM_RSA_PKCS_KEY_PAIR_GEN, id)
}

/** @param kind What of the public key says which kind of pair it is. */
async function generateWith(
  { module, handle }: TokenSession,
  kind: readonly Pkcs11Attribute[],
  generates: number,
  id: string,
): Promise<Pair> {
  const named: Pkcs11Attribute[] = [
    [attributes.CKA_TOKEN, true],
    [attributes.CKA_ID, idBytes(id)],
    [attributes.CKA_LABEL, Buffer.from(`chirograph ${id}`)],
  ]
  const forPublic: Pkcs11Attribute[] = [
    ...named,
    [attributes.CKA_PRIVATE, false],
    [attributes.CKA_VERIFY, true],
    ...kind,
  ]
  const forPrivate: Pkcs11Attribute[] = [
    ...named,
    [attributes.CKA_PRIVATE, true],
    [attributes.CKA_SENSITIVE, true],
    [attributes.CKA_EXTRACTABLE, false],
    [attributes.CKA_SIGN, true],
  ]
  const pair = { publicKey: ulong(), privateKey: ulong() }
  const [one, other] = [forPublic, forPrivate].map((list) => template(list, module.addressOf))
  await module.call(
    'C_GenerateKeyPair',
    handle,
    mechanism(generates),
    one ?? null,
    forPublic.length,
    other ?? null,
    forPrivate.length,
    pair.publicKey,
    pair.privateKey,
  )
  return { publicKey: readUlong(pair.publicKey), privateKey: readUlong(pair.privateKey) }
}

/** Whether the private key is sensitive and not extractable. */
export async function isSecret(session: TokenSession, key: bigint): Promise<boolean> {
  const sensitive = await readAttribute(session, key, attributes.CKA_SENSITIVE)
  const extractable = await readAttribute(session, key, attributes.CKA_EXTRACTABLE)
  return sensitive?.[0] === 1 && extractable?.[0] === 0
}

/** Returns the point of a public key: 65 bytes for P-256 (04, x, y), 32 bytes for Ed25519. */
export async function publicPoint(session: TokenSession, key: bigint): Promise<Buffer> {
  const value = await readAttribute(session, key, attributes.CKA_EC_POINT)
  if (value === null) throw new Error('the token does not return the public key')
  return bareOf(value)
}

/** Returns modulus and exponent of an RSA public key, without leading zeros. */
export async function rsaNumbers(
  session: TokenSession,
  key: bigint,
): Promise<{ readonly n: Buffer; readonly e: Buffer }> {
  const n = await readAttribute(session, key, attributes.CKA_MODULUS)
  const e = await readAttribute(session, key, attributes.CKA_PUBLIC_EXPONENT)
  if (n === null || e === null) throw new Error('the token does not return the public key')
  return { n: withoutZeros(n), e: withoutZeros(e) }
}

function withoutZeros(number: Buffer): Buffer {
  const start = number.findIndex((byte) => byte !== 0)
  return number.subarray(Math.max(0, start))
}

/** Tokens return the point as OCTET STRING, as BIT STRING (Edwards curves in v3.0), or raw. */
function bareOf(value: Buffer): Buffer {
  const [tag, length, third] = value
  const isWhole = length === value.length - 2
  if (isWhole && tag === 0x04) return value.subarray(2)
  if (isWhole && tag === 0x03 && third === 0) return value.subarray(3)
  return value
}

/** Returns an attribute. @returns null if the object has no such attribute or it is secret */
async function readAttribute({ module, handle }: TokenSession, key: bigint, type: number): Promise<Buffer | null> {
  const query = template([[type, Buffer.alloc(VALUE_BYTES_MAX)]], module.addressOf)
  try {
    await module.call('C_GetAttributeValue', handle, key, query, 1)
  } catch (error) {
    if (isOneOf(error, ['CKR_ATTRIBUTE_SENSITIVE', 'CKR_ATTRIBUTE_TYPE_INVALID'])) return null
    throw error
  }
  return valueIn(query)
}

/** Signs in a session. */
export async function signIn(
  { module, handle }: TokenSession,
  key: bigint,
  signs: number,
  bytes: Buffer,
): Promise<Buffer> {
  const bytesMax = signs === mechanisms.CKM_SHA256_RSA_PKCS ? RSA_SIGNATURE_BYTES : SIGNATURE_BYTES
  const signature = Buffer.alloc(bytesMax)
  const length = ulong(bytesMax)
  await module.call('C_SignInit', handle, mechanism(signs), key)
  await module.call('C_Sign', handle, bytes, bytes.length, signature, length)
  if (readUlong(length) !== BigInt(bytesMax)) throw new Error('the token returned a signature of another length')
  return signature
}

/** Finds an object by the id of its key. @throws Error if there are several */
export async function findObject(
  { module, handle }: TokenSession,
  kind: keyof typeof objectClasses,
  id: string,
): Promise<bigint | null> {
  const criteria: Pkcs11Attribute[] = [
    [attributes.CKA_CLASS, objectClasses[kind]],
    [attributes.CKA_ID, idBytes(id)],
  ]
  const found = Buffer.alloc(2 * ULONG_BYTES)
  const count = ulong()
  await module.call('C_FindObjectsInit', handle, template(criteria, module.addressOf), criteria.length)
  await module.call('C_FindObjects', handle, found, 2, count)
  await module.call('C_FindObjectsFinal', handle)
  if (readUlong(count) > 1n) throw new Error(`the token has several keys with the CKA_ID ${id}`)
  return readUlong(count) === 0n ? null : readUlong(found)
}

/** Destroys both keys of a pair. Idempotent. */
export async function destroyPair(session: TokenSession, id: string): Promise<void> {
  for (const kind of ['privateKey', 'publicKey'] as const) {
    const object = await findObject(session, kind, id)
    if (object !== null) await session.module.call('C_DestroyObject', session.handle, object)
  }
}

/** The 16 bytes of the UUID. */
function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}
