import { promisify } from 'node:util'
import { gunzip, inflate, inflateRaw } from 'node:zlib'
import { Fault } from '../../fault.ts'

const gunzipAsync = promisify(gunzip)
const inflateAsync = promisify(inflate)
const inflateRawAsync = promisify(inflateRaw)

/**
 * Decodes the content coding of a body; inflation stops at `bytesMax`. [SEC-40]
 *
 * @throws Fault `upstream.too_large`, `upstream.media_type` for an unknown or broken coding
 */
export async function decodedBody(body: Buffer, coding: string | undefined, bytesMax: number): Promise<Buffer> {
  const options = { maxOutputLength: Math.max(bytesMax, 1) }
  try {
    switch (coding?.toLowerCase() ?? 'identity') {
      case 'identity':
        return body
      case 'gzip':
      case 'x-gzip':
        return body.length === 0 ? body : await gunzipAsync(body, options)
      case 'deflate':
        // RFC 9110 8.4.1.2: the zlib format, but some servers send the raw DEFLATE stream
        return hasZlibHeader(body) ? await inflateAsync(body, options) : await inflateRawAsync(body, options)
      default:
        throw new Fault('upstream.media_type', { detail: 'The response has an unknown content coding.' })
    }
  } catch (error) {
    if (error instanceof Fault) throw error
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw new Fault(isTooLarge ? 'upstream.too_large' : 'upstream.media_type', { cause: error })
  }
}

function hasZlibHeader(body: Buffer): boolean {
  return body.length >= 2 && ((body[0] ?? 0) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0
}
