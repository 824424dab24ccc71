import sax from 'sax'
import { imageInDataUri } from '../../protocols/image.ts'
import { isPlainCss, isPlainValue } from './svg-values.ts'

/** The most bytes of a template, and of what it becomes with values. */
export const SVG_BYTES_MAX = 65_536
const FILLED_BYTES_MAX = 262_144
const ELEMENTS_MAX = 5000
const DEPTH_MAX = 40
const PLACEHOLDERS_MAX = 200
const IMAGES_MAX = 4
const PLACEHOLDER = /\{\{([A-Za-z0-9_-]{1,64})\}\}/g
const SVG = 'http://www.w3.org/2000/svg'
const XLINK = 'http://www.w3.org/1999/xlink'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))
/** Shapes, texts, gradients and clips: nothing that runs, fetches, repeats itself or holds another language. */
const ELEMENTS = words(`svg g defs path rect circle ellipse line polyline polygon text tspan image style
  linearGradient radialGradient stop clipPath`)
/** Left out with all that is in them. */
const IGNORED = words('title desc metadata')
const TEXTS = words('text tspan')
const ATTRIBUTES = words(`id class style x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy d points width height viewBox
  preserveAspectRatio transform fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color display visibility overflow paint-order vector-effect
  font-family font-size font-style font-weight font-variant font-stretch text-anchor text-decoration dominant-baseline
  alignment-baseline baseline-shift letter-spacing word-spacing textLength lengthAdjust rotate writing-mode direction unicode-bidi
  offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod clip-path clip-rule clipPathUnits
  shape-rendering text-rendering image-rendering color-interpolation version baseProfile role aria-label aria-hidden lang
  xml:space xml:lang type`)
const LINKS = words('href xlink:href')
const GRADIENTS = words('linearGradient radialGradient')

/** Only the five entities of XML. */
const options = { position: false, strictEntities: true }

/** A template does not belong to the subset. The message names no content. */
class Refused extends Error {}

/**
 * Reads an SVG template of type metadata and writes it anew, so that what is kept has no other reading: elements and
 * attributes of a list, values without addresses other than `#id`, pictures as small PNG or JPEG in `data:` URIs,
 * placeholders in texts alone. Attributes and elements of other namespaces (of drawing programs), titles and metadata
 * are left out; anything else that is not on the lists refuses the template.
 *
 * @param bytes UTF-8, at most 64 KiB.
 * @returns the template, in which `{{svg_id}}` stands in texts only; null if it is refused.
 * @see [SD-JWT VC, 8.1.2](https://www.ietf.org/archive/id/draft-ietf-oauth-sd-jwt-vc-10.html#section-8.1.2) [TM-4]
 */
export function readSvgTemplate(bytes: Buffer): string | null {
  if (bytes.length > SVG_BYTES_MAX) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    return new Writer().write(text)
  } catch {
    // of the decoder, of the parser, or Refused
    return null
  }
}

/** Returns the ids of the placeholders of a template. */
export function placeholdersIn(template: string): ReadonlySet<string> {
  return new Set([...template.matchAll(PLACEHOLDER)].map(([, id = '']) => id))
}

/**
 * Returns the image: each placeholder replaced by its value, escaped; one without a value by nothing. null: it would be
 * too large.
 */
export function fillSvgTemplate(template: string, values: ReadonlyMap<string, string>): Buffer | null {
  const filled = Buffer.from(template.replaceAll(PLACEHOLDER, (_, id: string) => escaped(values.get(id) ?? '')))
  return filled.length > FILLED_BYTES_MAX ? null : filled
}

/** Writes the allowed part of a document. */
class Writer {
  readonly #parser = sax.parser(true, options)
  #out = ''
  #open: string[] = []
  #ignoredDepth = 0
  #counts = { elements: 0, images: 0, placeholders: 0 }

  write(text: string): string {
    const parser = this.#parser
    const refuse = () => {
      throw new Refused()
    }
    Object.assign(parser, { onerror: refuse, ondoctype: refuse, onsgmldeclaration: refuse })
    parser.onprocessinginstruction = ({ name }) => {
      if (name !== 'xml') refuse()
    }
    // Without namespaces the attributes are strings.
    parser.onopentag = ({ name, attributes }) => this.#start(name, attributes as Record<string, string>)
    parser.onclosetag = (name) => this.#end(name)
    parser.ontext = (one) => this.#text(one)
    parser.oncdata = (one) => this.#text(one)
    parser.write(text).close()
    if (this.#out === '' || this.#open.length > 0) refuse()
    return this.#out
  }

  #start(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#counts.elements += 1
    if (this.#counts.elements > ELEMENTS_MAX || this.#open.length + this.#ignoredDepth >= DEPTH_MAX) throw new Refused()
    const isForeign = name.includes(':') || IGNORED.has(name)
    if (this.#ignoredDepth > 0 || isForeign) {
      if (this.#open.length === 0) throw new Refused()
      this.#ignoredDepth += 1
      return
    }
    const isRoot = this.#open.length === 0
    if (!ELEMENTS.has(name) || isRoot !== (name === 'svg') || (isRoot && this.#out !== '')) throw new Refused()
    if (TEXTS.has(this.#open.at(-1) ?? '') && name !== 'tspan') throw new Refused()
    if (isRoot && attributes.xmlns !== SVG) throw new Refused()
    const kept = Object.entries(attributes).flatMap(([one, value]) => this.#attribute(name, one, value))
    this.#open.push(name)
    this.#out += `<${name}${isRoot ? ` xmlns="${SVG}"` : ''}${kept.join('')}>`
  }

  #attribute(element: string, name: string, value: string): string[] {
    if (name === 'xmlns') {
      if (value !== SVG) throw new Refused()
      return []
    }
    if (name === 'xmlns:xlink' && value !== XLINK) throw new Refused()
    if (LINKS.has(name)) return [` href="${escaped(this.#link(element, value))}"`]
    if (!ATTRIBUTES.has(name)) {
      // those of drawing programs, and what pages hang on elements
      if (name.includes(':') || name.startsWith('data-')) return []
      throw new Refused()
    }
    const isAllowed = name === 'style' ? isPlainCss(value) : isPlainValue(value)
    // a clip within a clip multiplies what is drawn
    const isNested = name === 'clip-path' && (element === 'clipPath' || this.#open.includes('clipPath'))
    if (!isAllowed || isNested || value.includes('{{')) throw new Refused()
    return [` ${name}="${escaped(value)}"`]
  }

  #link(element: string, value: string): string {
    if (GRADIENTS.has(element) && /^#[\w.-]{1,100}$/.test(value)) return value
    if (element !== 'image') throw new Refused()
    const image = imageInDataUri(value)
    this.#counts.images += 1
    if (image === null || image.mediaType === 'image/svg+xml' || this.#counts.images > IMAGES_MAX) throw new Refused()
    return `data:${image.mediaType};base64,${image.bytes.toString('base64')}`
  }

  #text(text: string): void {
    if (this.#ignoredDepth > 0) return
    const within = this.#open.at(-1) ?? ''
    if (text.trim() === '') this.#out += TEXTS.has(within) ? text : ''
    else if (within === 'style' && isPlainCss(text) && !text.includes('{{')) this.#out += text
    else if (TEXTS.has(within)) this.#out += this.#withPlaceholders(text)
    else throw new Refused()
  }

  #withPlaceholders(text: string): string {
    this.#counts.placeholders += text.match(PLACEHOLDER)?.length ?? 0
    if (this.#counts.placeholders > PLACEHOLDERS_MAX) throw new Refused()
    return escaped(text)
  }

  #end(name: string): void {
    if (this.#ignoredDepth > 0) {
      this.#ignoredDepth -= 1
      return
    }
    this.#open.pop()
    this.#out += `</${name}>`
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (one) => ESCAPES[one] ?? '')
}
