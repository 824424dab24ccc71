import { crc32, deflateSync } from 'node:zlib'
import { encode } from 'uqr'
import { Fault } from '../fault.ts'
import { notAcceptable, preferredType } from './accept.ts'
import type { EndpointAnswer } from './endpoint.ts'

const PIXELS_A_MODULE = 8
/** ISO/IEC 18004: readers want a quiet zone of four modules. */
const QUIET_MODULES = 4
const types = ['image/svg+xml', 'image/png'] as const

/**
 * Answers with a QR code of a text: SVG, or PNG if the reader would rather have it. Never cached: the text is for one holder.
 *
 * @throws Fault `request.not_acceptable`, `request.invalid` if the text is too long for a QR code
 */
export function qrAnswer(text: string, accept: string | undefined): EndpointAnswer {
  const type = preferredType(accept, types)
  if (type === null) throw notAcceptable(types)
  const modules = modulesOf(text)
  const body = type === 'image/png' ? pngOf(modules) : svgOf(modules)
  return { status: 200, type, body, headers: { 'cache-control': 'no-store', vary: 'accept' } }
}

function modulesOf(text: string): readonly (readonly boolean[])[] {
  try {
    return encode(text, { ecc: 'M', border: QUIET_MODULES }).data
  } catch (cause) {
    throw new Fault('request.invalid', { detail: 'The text is too long for a QR code.', cause })
  }
}

function svgOf(modules: readonly (readonly boolean[])[]): string {
  const size = modules.length
  const path = modules.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
}

/** Grey, one bit a pixel. @see [PNG, 11](https://www.w3.org/TR/png-3/#11Chunks) */
function pngOf(modules: readonly (readonly boolean[])[]): Buffer {
  const size = modules.length * PIXELS_A_MODULE
  // a byte is as wide as a module, and white is 1
  const rows = modules.flatMap((row) => {
    const line = Buffer.from([0, ...row.map((dark) => (dark ? 0x00 : 0xff))])
    return Array.from({ length: PIXELS_A_MODULE }, () => line)
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header[8] = 1
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = chunk('IDAT', deflateSync(Buffer.concat(rows)))
  return Buffer.concat([signature, chunk('IHDR', header), pixels, chunk('IEND', Buffer.alloc(0))])
}

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(content.length, 0)
  body.copy(frame, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}
