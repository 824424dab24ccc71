import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto'

/** What a browser gives of its subscription. `p256dh`: an uncompressed point on P-256. `auth`: 16 bytes. */
type PushKeys = { readonly p256dh: Buffer; readonly auth: Buffer }

/** The random parts of a message. `sender`: a key pair for this message alone. `salt`: 16 bytes. */
type Ephemeral = { readonly sender: ECDH; readonly salt: Buffer }

const CURVE = 'prime256v1'
const SALT_BYTES = 16
const KEY_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** One record, of the size that every push service accepts (RFC 8291 4). */
const RECORD_BYTES = 4096
/** RFC 8188 2: ends the last record, before any padding. */
const LAST_RECORD = 2
/** A longer text does not fit into a record with header, delimiter and tag. */
const PLAINTEXT_BYTES_MAX = RECORD_BYTES - 86 - 1 - TAG_BYTES

/** Whether bytes are an uncompressed point on P-256. */
export function isPushPoint(bytes: Buffer): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false
  try {
    ephemeral().sender.computeSecret(bytes)
    return true
  } catch {
    // Not on the curve.
    return false
  }
}

/**
 * Encrypts a message for a browser as one record of `aes128gcm`. All messages have the same length, so that it says
 * nothing.
 *
 * @param random For published vectors only.
 * @throws RangeError above 3,993 bytes; Error for a point that {@link isPushPoint} refuses
 * @see [RFC 8291, 3.4 and 4](https://www.rfc-editor.org/rfc/rfc8291#section-3.4) and [RFC 8188, 2](https://www.rfc-editor.org/rfc/rfc8188#section-2)
 */
export function encryptPushMessage(
  plaintext: Buffer,
  { p256dh, auth }: PushKeys,
  { paddedBytes = 256, random = ephemeral() }: { readonly paddedBytes?: number; readonly random?: Ephemeral } = {},
): Buffer {
  if (plaintext.length > PLAINTEXT_BYTES_MAX) throw new RangeError('the push message is too long')
  const { sender, salt } = random
  const senderPoint = sender.getPublicKey()
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, senderPoint])
  const secret = derive(sender.computeSecret(p256dh), auth, info, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), KEY_BYTES)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), NONCE_BYTES)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const padding = Buffer.alloc(Math.max(0, paddedBytes - plaintext.length))
  const record = Buffer.concat([plaintext, Buffer.of(LAST_RECORD), padding])
  const sealed = Buffer.concat([cipher.update(record), cipher.final(), cipher.getAuthTag()])
  return Buffer.concat([header(salt, senderPoint), sealed])
}

/** RFC 8188 2.1: salt, record size, length of the key id, key id. */
function header(salt: Buffer, senderPoint: Buffer): Buffer {
  const sizes = Buffer.alloc(5)
  sizes.writeUInt32BE(RECORD_BYTES, 0)
  sizes.writeUInt8(senderPoint.length, 4)
  return Buffer.concat([salt, sizes, senderPoint])
}

function derive(secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))
}

function ephemeral(): Ephemeral {
  const sender = createECDH(CURVE)
  sender.generateKeys()
  return { sender, salt: randomBytes(SALT_BYTES) }
}
