import { crc32, deflateSync } from 'node:zlib'
import { encode } from 'uqr'
import { Fault } from '../fault.ts'
import { preferredType } from './accept.ts'
import type { EndpointAnswer } from './endpoint.ts'

/** ISO/IEC 18004: four modules of white around the code. */
const BORDER_MODULES = 4
const PIXELS_PER_MODULE = 8
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The media types of {@link qrImage}, the default first. */
export const qrImageTypes = ['image/svg+xml', 'image/png'] as const

/**
 * Answers with a QR image of a text: SVG, or PNG where `Accept` wants it more. It may not be stored: the text may be good for one use.
 *
 * @param text Up to about 2,300 bytes (error correction M).
 * @throws Fault `request.not_acceptable`
 */
export function qrImage(text: string, accept: string | undefined): EndpointAnswer {
  const type = preferredType(accept, qrImageTypes)
  if (type === null) throw new Fault('request.not_acceptable', { detail: 'A QR image is SVG or PNG.' })
  const headers = { 'cache-control': 'no-store', vary: 'accept' }
  return { status: 200, type, body: type === 'image/png' ? qrPng(text) : qrSvg(text), headers }
}

/** A QR code as SVG that scales to any size. */
export function qrSvg(text: string): string {
  const modules = modulesOf(text)
  const rows = modules.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join(''))
  const size = modules.length
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * PIXELS_PER_MODULE}" height="${size * PIXELS_PER_MODULE}" ` +
    `shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${rows.join('')}" fill="#000"/></svg>`
  )
}

/** A QR code as PNG, one bit a pixel. @see [PNG, third edition](https://www.w3.org/TR/png-3/) */
export function qrPng(text: string): Buffer {
  const modules = modulesOf(text)
  const size = modules.length * PIXELS_PER_MODULE
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.writeUInt8(1, 8) // bit depth; the rest is 0: greyscale, deflate, no interlace
  const lines = modules.flatMap((row) => Array<Buffer>(PIXELS_PER_MODULE).fill(lineOf(row)))
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Rows of modules, true for dark. */
function modulesOf(text: string): boolean[][] {
  return encode(text, { ecc: 'M', border: BORDER_MODULES }).data
}

/** A filter byte of 0, then eight pixels a byte: as a module is eight pixels wide, each module is one byte. */
function lineOf(row: readonly boolean[]): Buffer {
  return Buffer.from([0, ...row.map((isDark) => (isDark ? 0x00 : 0xff))])
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
