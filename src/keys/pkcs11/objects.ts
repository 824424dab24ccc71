import type { KeyType } from '../key-provider.ts'
import { attributes, isOneOf, objectClasses } from './cryptoki.ts'
import { mechanism, type Pkcs11Attribute, readUlong, template, ULONG_BYTES, ulong, valueIn } from './structs.ts'
import type { Session } from './token.ts'

/** The two halves of a key pair, by their handles. */
export type Pair = { readonly publicKey: bigint; readonly privateKey: bigint }

/** Of P-256 and of Ed25519. */
const SIGNATURE_BYTES = 64
const VALUE_BYTES_MAX = 256

/** ECParameters: the curve by its OID; tokens of the time before RFC 8410 know the Edwards curve by its name (PKCS #11 v3.0, 2.3.10). */
const curves: Readonly<Record<KeyType, readonly Buffer[]>> = {
  'P-256': [Buffer.from('06082a8648ce3d030107', 'hex')],
  Ed25519: [Buffer.from('06032b6570', 'hex'), Buffer.concat([Buffer.from([0x13, 12]), Buffer.from('edwards25519')])],
}

/** Makes a key pair that the token keeps, the private half for itself. */
export async function generatePair(session: Session, type: KeyType, makes: number, id: string): Promise<Pair> {
  const [first, ...others] = curves[type]
  if (first === undefined) throw new Error('a curve without a name')
  try {
    return await generateOn(session, first, makes, id)
  } catch (error) {
    const [other] = others
    const isCurve = isOneOf(error, [
      ...(['CKR_DOMAIN_PARAMS_INVALID', 'CKR_CURVE_NOT_SUPPORTED', 'CKR_ATTRIBUTE_VALUE_INVALID'] as const),
      ...(['CKR_TEMPLATE_INCONSISTENT', 'CKR_GENERAL_ERROR', 'CKR_FUNCTION_FAILED'] as const),
    ])
    if (other === undefined || !isCurve) throw error
    return generateOn(session, other, makes, id)
  }
}

async function generateOn({ module, handle }: Session, curve: Buffer, makes: number, id: string): Promise<Pair> {
  const named: Pkcs11Attribute[] = [
    [attributes.CKA_TOKEN, true],
    [attributes.CKA_ID, idBytes(id)],
    [attributes.CKA_LABEL, Buffer.from(`chirograph ${id}`)],
  ]
  const forPublic: Pkcs11Attribute[] = [
    ...named,
    [attributes.CKA_PRIVATE, false],
    [attributes.CKA_VERIFY, true],
    [attributes.CKA_EC_PARAMS, curve],
  ]
  const forPrivate: Pkcs11Attribute[] = [
    ...named,
    [attributes.CKA_PRIVATE, true],
    [attributes.CKA_SENSITIVE, true],
    [attributes.CKA_EXTRACTABLE, false],
    [attributes.CKA_SIGN, true],
  ]
  const made = { publicKey: ulong(), privateKey: ulong() }
  const [one, other] = [forPublic, forPrivate].map((list) => template(list, module.addressOf))
  await module.call(
    'C_GenerateKeyPair',
    ...[handle, mechanism(makes), one ?? null, forPublic.length, other ?? null, forPrivate.length],
    ...[made.publicKey, made.privateKey],
  )
  return { publicKey: readUlong(made.publicKey), privateKey: readUlong(made.privateKey) }
}

/** Whether the token keeps the private key to itself: sensitive and not extractable. */
export async function isSecret(session: Session, key: bigint): Promise<boolean> {
  const sensitive = await readAttribute(session, key, attributes.CKA_SENSITIVE)
  const extractable = await readAttribute(session, key, attributes.CKA_EXTRACTABLE)
  return sensitive?.[0] === 1 && extractable?.[0] === 0
}

/** The point of a public key: 65 bytes of P-256 as 04, x, y; 32 bytes of Ed25519. */
export async function publicPoint(session: Session, key: bigint): Promise<Buffer> {
  const value = await readAttribute(session, key, attributes.CKA_EC_POINT)
  if (value === null) throw new Error('the token does not show the public key')
  return bareOf(value)
}

/** Tokens write the point as OCTET STRING, as BIT STRING (Edwards curves in v3.0), or as it is. */
function bareOf(value: Buffer): Buffer {
  const [tag, length, third] = value
  const isWhole = length === value.length - 2
  if (isWhole && tag === 0x04) return value.subarray(2)
  if (isWhole && tag === 0x03 && third === 0) return value.subarray(3)
  return value
}

/** @returns null if the object has no such attribute or keeps it to itself */
async function readAttribute({ module, handle }: Session, key: bigint, type: number): Promise<Buffer | null> {
  const asked = template([[type, Buffer.alloc(VALUE_BYTES_MAX)]], module.addressOf)
  try {
    await module.call('C_GetAttributeValue', handle, key, asked, 1)
  } catch (error) {
    if (isOneOf(error, ['CKR_ATTRIBUTE_SENSITIVE', 'CKR_ATTRIBUTE_TYPE_INVALID'])) return null
    throw error
  }
  return valueIn(asked)
}

/** Signs with a key of the session's token. */
export async function signIn({ module, handle }: Session, key: bigint, signs: number, bytes: Buffer): Promise<Buffer> {
  const signature = Buffer.alloc(SIGNATURE_BYTES)
  const length = ulong(SIGNATURE_BYTES)
  await module.call('C_SignInit', handle, mechanism(signs), key)
  await module.call('C_Sign', handle, bytes, bytes.length, signature, length)
  if (readUlong(length) !== BigInt(SIGNATURE_BYTES)) throw new Error('the token gave a signature of another length')
  return signature
}

/** An object by our id of it. @throws Error if there are several */
export async function findObject(
  { module, handle }: Session,
  kind: keyof typeof objectClasses,
  id: string,
): Promise<bigint | null> {
  const wanted: Pkcs11Attribute[] = [
    [attributes.CKA_CLASS, objectClasses[kind]],
    [attributes.CKA_ID, idBytes(id)],
  ]
  const found = Buffer.alloc(2 * ULONG_BYTES)
  const count = ulong()
  await module.call('C_FindObjectsInit', handle, template(wanted, module.addressOf), wanted.length)
  await module.call('C_FindObjects', handle, found, 2, count)
  await module.call('C_FindObjectsFinal', handle)
  if (readUlong(count) > 1n) throw new Error(`the token has several keys with the CKA_ID ${id}`)
  return readUlong(count) === 0n ? null : readUlong(found)
}

/** Destroys both halves. Whatever is gone already is fine. */
export async function destroyPair(session: Session, id: string): Promise<void> {
  for (const kind of ['privateKey', 'publicKey'] as const) {
    const object = await findObject(session, kind, id)
    if (object !== null) await session.module.call('C_DestroyObject', session.handle, object)
  }
}

/** The id of a key is a UUID; the token gets its 16 bytes. */
function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}
