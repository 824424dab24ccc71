import type { UploadedFile } from '../../http/routes/endpoint.ts'

/** So that the picture, in base64, is as short as the API demands. */
const BYTES_MAX = 48_000

/** A picture as a `data:` URI, or why it is none. */
type ImageFile = { readonly uri: string } | { readonly problem: 'large' | 'kind' }

/**
 * Returns the picture in a file by its first bytes, whatever its name says; null without a file. What an SVG does is
 * left to `img`, where no script runs.
 */
export function imageIn(file: UploadedFile | null): ImageFile | null {
  if (file === null || file.bytes.length === 0) return null
  if (file.bytes.length > BYTES_MAX) return { problem: 'large' }
  const type = typeOf(file.bytes)
  return type === null ? { problem: 'kind' } : { uri: `data:image/${type};base64,${file.bytes.toString('base64')}` }
}

function typeOf(bytes: Buffer): string | null {
  if (bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) return 'png'
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'jpeg'
  return /^\ufeff?\s*<(\?xml|svg|!--|!DOCTYPE svg)[\s\S]*<\/svg>\s*$/i.test(bytes.toString('utf8')) ? 'svg+xml' : null
}
