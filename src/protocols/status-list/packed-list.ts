import { deflateSync, inflateSync } from 'node:zlib'
import { Fault } from '../../fault.ts'

/** Number of bits of one status. [TS-1] */
export type StatusBits = 1 | 2 | 4 | 8

/** A status list as bytes: entry `i` is in byte `i * bits / 8`, the lowest bits first. */
export type PackedList = { readonly bits: StatusBits; readonly packed: Uint8Array }

/** Registered status values; a verifier rejects every other one. [TS-4] */
export const statusValues = { valid: 0, revoked: 1, suspended: 2 } as const

/**
 * The standing of a credential: what the status list of its issuer says. `revoked` is final, and an mdoc is never
 * suspended. [TS-33] [MD-10]
 */
export type Standing = keyof typeof statusValues

/** Maximum size of an inflated list: 2^27 entries of one bit. [SEC-40] */
const INFLATED_BYTES_MAX = 16 * 1024 * 1024

/** An empty list, all valid. @param size Entries; rounded up to whole bytes. [TS-3] */
export function emptyStatusList(bits: StatusBits, size: number): PackedList {
  return { bits, packed: new Uint8Array(Math.ceil((size * bits) / 8)) }
}

/** Returns the number of statuses in a list. */
export function sizeOf({ bits, packed }: PackedList): number {
  return (packed.length * 8) / bits
}

/**
 * Returns one status of a list.
 *
 * @throws Fault `status_list.invalid` if the index is outside the list: such a credential must be rejected.
 * @see [Token Status List, 8.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-8.3)
 */
export function statusOfEntry(list: PackedList, index: number): number {
  const [byte, shift] = placeOf(list, index)
  return ((list.packed[byte] ?? 0) >> shift) & mask(list.bits)
}

/** Writes one status in place. Only for building a list, not for a verified one. @throws Fault `status_list.invalid` */
export function setStatus(list: PackedList, index: number, status: number): void {
  if (!Number.isInteger(status) || status < 0 || status > mask(list.bits)) {
    throw new Fault('status_list.invalid', { detail: 'The status does not fit into the bits of the list.' })
  }
  const [byte, shift] = placeOf(list, index)
  list.packed[byte] = ((list.packed[byte] ?? 0) & ~(mask(list.bits) << shift)) | (status << shift)
}

/** A compressed list, for any number of tokens. */
export type CompressedList = { readonly bits: StatusBits; readonly lst: Buffer }

/** Above this size, the best compression takes ten times as long and saves a tenth. */
const BEST_BYTES_MAX = 4096

/** The list with the bytes of its `lst`: DEFLATE in the ZLIB format. [TS-2] A compressed one is returned as it is. */
export function compressList(list: PackedList | CompressedList): CompressedList {
  if ('lst' in list) return list
  const { bits, packed } = list
  return { bits, lst: deflateSync(packed, { level: packed.length > BEST_BYTES_MAX ? 6 : 9 }) }
}

/** The result with the option `info`, which the types of Node lack. `bytesWritten`: number of input bytes consumed. */
type Inflated = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }

/**
 * Inflates the bytes of `lst`, up to {@link INFLATED_BYTES_MAX}.
 *
 * @throws Fault `status_list.invalid`
 */
export function inflateList(bits: StatusBits, compressed: Uint8Array): PackedList {
  try {
    const options = { maxOutputLength: INFLATED_BYTES_MAX, info: true }
    const { buffer, engine } = inflateSync(compressed, options) as object as Inflated
    if (engine.bytesWritten < compressed.length) throw new RangeError('bytes follow the end of the stream')
    return { bits, packed: buffer }
  } catch (cause) {
    throw new Fault('status_list.invalid', {
      detail: 'The status list cannot be decompressed, or is too large.',
      cause,
    })
  }
}

/** Whether a number of bits is allowed. */
export function isStatusBits(value: unknown): value is StatusBits {
  return value === 1 || value === 2 || value === 4 || value === 8
}

function placeOf(list: PackedList, index: number): readonly [byte: number, shift: number] {
  if (!Number.isSafeInteger(index) || index < 0 || index >= sizeOf(list)) {
    throw new Fault('status_list.invalid', { detail: 'The index is outside the status list.' })
  }
  const bit = index * list.bits
  return [Math.floor(bit / 8), bit % 8]
}

function mask(bits: StatusBits): number {
  return (1 << bits) - 1
}
