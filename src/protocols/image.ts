/** An image that may be kept. */
export type KeptImage = {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/svg+xml'
  readonly bytes: Buffer
}

/** The most bytes of an image. */
export const IMAGE_BYTES_MAX = 65_536
/** The most pixels of a side. A small file may unpack to gigabytes. */
const SIDE_MAX = 2000
/** Nested in the worst way, that many draw a shape 81 times. */
const REPEATERS_MAX = 12
const REPEATER = /<(?:[^\s<>/:]+:)?(?:use|pattern|mask|marker|clipPath|filter|feImage|image)(?![\w.-])/g
const DATA_URI = /^data:(image\/(?:png|jpeg|svg\+xml))((?:;[\w=-]+)*),(.*)$/s

/**
 * Returns the image that bytes are by their own content, whatever their sender calls them; null if it is none that may
 * be kept: PNG, JPEG or SVG, at most 64 KiB and 2,000 pixels a side.
 *
 * An SVG has at most 12 elements that draw others again: nested, a few lines would draw billions of shapes and stop the
 * browser.
 *
 * NOT checked: scripts in an SVG. It is shown in `img` only, where browsers run none and fetch nothing.
 */
export function readImage(bytes: Buffer): KeptImage | null {
  if (bytes.length < 4 || bytes.length > IMAGE_BYTES_MAX) return null
  const [mediaType, sides] = isPng(bytes)
    ? (['image/png', [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]] as const)
    : bytes.readUInt16BE(0) === 0xffd8
      ? (['image/jpeg', jpegSides(bytes)] as const)
      : (['image/svg+xml', isSvg(bytes) ? [] : null] as const)
  if (sides === null || sides.some((side) => side === 0 || side > SIDE_MAX)) return null
  return { mediaType, bytes }
}

/** Returns the image of a `data:` URI; null as {@link readImage}. */
export function imageInDataUri(uri: string): KeptImage | null {
  const [, , parameters = '', text = ''] = DATA_URI.exec(uri) ?? []
  if (text === '') return null
  try {
    return readImage(Buffer.from(decodeURIComponent(text), parameters.endsWith(';base64') ? 'base64' : 'utf8'))
  } catch {
    return null
  }
}

function isPng(bytes: Buffer): boolean {
  return bytes.length > 33 && bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
}

/** Walks the segments to the frame header. @see ITU-T T.81, B.2.2 */
function jpegSides(bytes: Buffer): number[] | null {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
  }
  return null
}

function isSvg(bytes: Buffer): boolean {
  const start = bytes
    .subarray(0, 2048)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  const isStart = /^<svg[\s>]/.test(withoutProlog(start))
  return isStart && (bytes.toString('utf8').match(REPEATER) ?? []).length <= REPEATERS_MAX
}

/** One part after the other: an expression for all of them would try their borders in many ways. */
function withoutProlog(start: string): string {
  let rest = start.trimStart()
  for (;;) {
    const part = /^(?:<\?xml[^>]*>|<!--[^>]*-->|<!DOCTYPE svg[^>[]*>)/.exec(rest)?.[0]
    if (part === undefined) return rest
    rest = rest.slice(part.length).trimStart()
  }
}
