import { PNG } from 'pngjs'
import { encode, renderSVG } from 'uqr'
import { Fault } from '../fault.ts'
import { notAcceptable, preferredType } from '../http/routes/accept.ts'
import type { EndpointResponse } from '../http/routes/endpoint.ts'

const PIXELS_A_MODULE = 8
/** ISO/IEC 18004 requires a quiet zone of four modules. */
const SHAPE = { ecc: 'M', border: 4 } as const
const types = ['image/svg+xml', 'image/png'] as const
/** The media types of a QR code, for the API reference. */
export const imageTypes = { 'image/svg+xml': null, 'image/png': null } as const

/**
 * Answers with a QR code of a text, as SVG or as PNG by `Accept`. It is never cached, because the text is for one
 * holder.
 *
 * @throws Fault `request.not_acceptable`, `request.invalid` if the text is too long for a QR code
 */
export function qrAnswer(text: string, accept: string | undefined): EndpointResponse {
  const type = preferredType(accept, types)
  if (type === null) throw notAcceptable(types)
  const body = type === 'image/png' ? pngOf(text) : svgOf(text)
  return { status: 200, type, body, headers: { 'cache-control': 'no-store', vary: 'accept' } }
}

function orTooLong<T>(draw: () => T): T {
  try {
    return draw()
  } catch (cause) {
    throw new Fault('request.invalid', { detail: 'The text is too long for a QR code.', cause })
  }
}

function svgOf(text: string): string {
  return orTooLong(() => renderSVG(text, { ...SHAPE, pixelSize: 1 }))
}

function pngOf(text: string): Buffer {
  const modules = orTooLong(() => encode(text, SHAPE)).data
  const size = modules.length * PIXELS_A_MODULE
  const png = new PNG({ width: size, height: size })
  const rows = modules.flatMap((row) => {
    const line = Buffer.from(row.flatMap((dark) => Array.from({ length: PIXELS_A_MODULE }, () => (dark ? 0 : 255))))
    return Array.from({ length: PIXELS_A_MODULE }, () => line)
  })
  png.data = Buffer.concat(rows)
  return PNG.sync.write(png, { colorType: 0, inputColorType: 0, inputHasAlpha: false, filterType: 0 })
}
