import { promisify } from 'node:util'
import { gunzip, inflate, inflateRaw } from 'node:zlib'
import { Fault } from '../../fault.ts'

const gunzipAsync = promisify(gunzip)
const inflateAsync = promisify(inflate)
const inflateRawAsync = promisify(inflateRaw)

/**
 * Undoes the content coding of a body; inflation stops at the limit, so a small body cannot become a big one. [SEC-40]
 *
 * @throws Fault `upstream.too_large`, `upstream.media_type` for a coding that we did not ask for or that is broken
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
        // RFC 9110 8.4.1.2: it should be the zlib format, but some servers send the bare stream
        return hasZlibHeader(body) ? await inflateAsync(body, options) : await inflateRawAsync(body, options)
      default:
        throw new Fault('upstream.media_type', { detail: 'The other side used an unknown content coding.' })
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
