/** CK_ULONG is an unsigned long: 8 bytes on the supported systems. */
export const ULONG_BYTES = 8
/** CK_ATTRIBUTE: type, pointer, length. CK_MECHANISM has the same form. */
const TRIPLE_BYTES = 3 * ULONG_BYTES

/** Returns the address of a buffer's first byte. A referenced buffer does not move. */
type AddressOf = (buffer: Buffer) => bigint

/** An attribute of an object: boolean, number, or bytes. */
export type Pkcs11Attribute = readonly [type: number, value: boolean | number | Buffer]

/** Allocates a CK_ULONG, also for functions that write to it. */
export function ulong(value: number | bigint = 0): Buffer {
  // Buffer.alloc takes no memory from the shared pool, so C writes to this buffer alone.
  const bytes = Buffer.alloc(ULONG_BYTES)
  writeUlong(bytes, BigInt(value), 0)
  return bytes
}

/** @param at Offset in bytes. */
export function readUlong(bytes: Buffer, at = 0): bigint {
  return isLittleEndian ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at)
}

/** Allocates a CK_MECHANISM without parameters. */
export function mechanism(type: number): Buffer {
  const bytes = Buffer.alloc(TRIPLE_BYTES)
  writeUlong(bytes, BigInt(type), 0)
  return bytes
}

/** Allocates a template followed by its values, in one buffer. */
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

/** Returns the value of the only attribute of a template that C has filled. @returns null if it is absent or secret */
export function valueIn(filled: Buffer): Buffer | null {
  const length = readUlong(filled, 2 * ULONG_BYTES)
  // CK_UNAVAILABLE_INFORMATION is the highest CK_ULONG.
  if (length > BigInt(filled.length - TRIPLE_BYTES)) return null
  return Buffer.from(filled.subarray(TRIPLE_BYTES, TRIPLE_BYTES + Number(length)))
}

/** Allocates a CK_C_INITIALIZE_ARGS with these flags. */
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

/** Rounds a length up, so that each value is aligned. */
function padded(length: number): number {
  return Math.ceil(length / ULONG_BYTES) * ULONG_BYTES
}
