/** CK_ULONG is an unsigned long: 8 bytes where we run PKCS #11. */
export const ULONG_BYTES = 8
/** CK_ATTRIBUTE: type, pointer, length. CK_MECHANISM has the same form. */
const TRIPLE_BYTES = 3 * ULONG_BYTES

/** The address of a buffer's first byte. A buffer does not move as long as somebody holds it. */
export type AddressOf = (buffer: Buffer) => bigint

/** An attribute of an object: a truth, a number, or bytes. */
export type Pkcs11Attribute = readonly [type: number, value: boolean | number | Buffer]

/** A number in memory, for functions that write into it. */
export function ulong(value: number | bigint = 0): Buffer {
  // Small buffers of the pool share memory with others; what C writes into stands alone.
  const bytes = Buffer.alloc(ULONG_BYTES)
  writeUlong(bytes, BigInt(value), 0)
  return bytes
}

/** @param at Offset in bytes. */
export function readUlong(bytes: Buffer, at = 0): bigint {
  return isLittleEndian ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at)
}

/** A mechanism without parameters. */
export function mechanism(type: number): Buffer {
  const bytes = Buffer.alloc(TRIPLE_BYTES)
  writeUlong(bytes, BigInt(type), 0)
  return bytes
}

/** A template with its values behind it, in one piece of memory. */
export function template(list: readonly Pkcs11Attribute[], addressOf: AddressOf): Buffer {
  const values = list.map(([, value]) => bytesOf(value))
  const room = values.map(({ length }) => padded(length))
  const memory = Buffer.alloc(TRIPLE_BYTES * list.length + room.reduce((sum, one) => sum + one, 0))
  const start = addressOf(memory)
  let valueAt = TRIPLE_BYTES * list.length
  for (const [index, value] of values.entries()) {
    const at = TRIPLE_BYTES * index
    writeUlong(memory, BigInt(list[index]?.[0] ?? 0), at)
    writeUlong(memory, start + BigInt(valueAt), at + ULONG_BYTES)
    writeUlong(memory, BigInt(value.length), at + 2 * ULONG_BYTES)
    value.copy(memory, valueAt)
    valueAt += room[index] ?? 0
  }
  return memory
}

/** The value of the only attribute of a template that C has filled in. @returns null if it is not there or not shown */
export function valueIn(filled: Buffer): Buffer | null {
  const length = readUlong(filled, 2 * ULONG_BYTES)
  // CK_UNAVAILABLE_INFORMATION is the highest number there is.
  if (length > BigInt(filled.length - TRIPLE_BYTES)) return null
  return Buffer.from(filled.subarray(TRIPLE_BYTES, TRIPLE_BYTES + Number(length)))
}

/** CK_C_INITIALIZE_ARGS with these flags and nothing else. */
export function initializeArguments(flags: number): Buffer {
  const bytes = Buffer.alloc(6 * ULONG_BYTES)
  writeUlong(bytes, BigInt(flags), 4 * ULONG_BYTES)
  return bytes
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

function writeUlong(bytes: Buffer, value: bigint, at: number): void {
  if (isLittleEndian) bytes.writeBigUInt64LE(value, at)
  else bytes.writeBigUInt64BE(value, at)
}

function bytesOf(value: boolean | number | Buffer): Buffer {
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0])
  return typeof value === 'number' ? ulong(value) : value
}

/** Numbers among the values stand where C expects them. */
function padded(length: number): number {
  return Math.ceil(length / ULONG_BYTES) * ULONG_BYTES
}
