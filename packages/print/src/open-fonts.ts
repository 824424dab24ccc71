import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as fontkit from 'fontkit'

/** In the order in which a character is looked for. The Chinese font has the characters of Japanese too. */
const FAMILIES = ['noto-sans', 'noto-sans-arabic', 'noto-sans-hebrew', 'noto-sans-sc', 'noto-sans-kr'] as const
const REGULAR = 400
const BOLD = 700
/** Drawn for a character that no font has. */
const UNKNOWN = '?'

const required = createRequire(import.meta.url)
/** Reads a font in any format of fonts. Has no types of its own. */
const subsetFont = required('subset-font') as (
  font: Buffer,
  text: null,
  options: {
    readonly targetFormat: 'truetype'
    readonly keepAllGlyphs: true
    /** Each axis is pinned to its value. */
    readonly variationAxes: Readonly<Record<string, number>>
  },
) => Promise<Buffer>

/** A file with the characters of some ranges. */
type Slice = {
  readonly name: string
  readonly file: string
  readonly ranges: readonly (readonly [from: number, to: number])[]
}

/** A font of one weight, as PDFKit takes it. */
type Font = fontkit.Font
/** Characters that one slice draws. */
type FontRun = { readonly slice: string; readonly text: string }

/** Fonts of many scripts, in slices that are opened when a text needs them. */
export type Fonts = {
  /** Opens what a text needs: to be awaited before it is split and drawn. */
  readonly load: (text: string, isBold: boolean) => Promise<void>
  /** Splits a text that was loaded into runs of one slice each. What no font has becomes a question mark. */
  readonly split: (text: string) => readonly FontRun[]
  /** Returns the font of a slice. */
  readonly fontOf: (slice: string, isBold: boolean) => Font
}

/** Reads the lists of the slices; the files themselves are read when they are needed. */
export function openFonts(): Fonts {
  const slices = FAMILIES.flatMap(slicesOf)
  const opened = new Map<string, Font>()
  /** The slice of each character that was asked for; null: no font has it. */
  const chosen = new Map<number, Slice | null>()

  async function open({ name, file }: Slice, isBold: boolean): Promise<Font> {
    const known = opened.get(keyOf(name, isBold))
    if (known !== undefined) return known
    // The files have all weights; fontkit would embed the thinnest one.
    const variationAxes = { wght: isBold ? BOLD : REGULAR }
    const options = { targetFormat: 'truetype', keepAllGlyphs: true, variationAxes } as const
    const font = fontkit.create(await subsetFont(readFileSync(file), null, options))
    if ('fonts' in font) throw new Error(`${file} is a collection of fonts`)
    opened.set(keyOf(name, isBold), font)
    return font
  }

  async function choose(point: number): Promise<Slice | null> {
    for (const slice of slices) {
      if (!slice.ranges.some(([from, to]) => point >= from && point <= to)) continue
      if ((await open(slice, false)).hasGlyphForCodePoint(point)) return slice
    }
    return null
  }

  return {
    load: async (text, isBold) => {
      for (const character of text + UNKNOWN) {
        const point = pointOf(character)
        const slice = chosen.has(point) ? chosen.get(point) : await choose(point)
        chosen.set(point, slice ?? null)
        if (slice && isBold) await open(slice, true)
      }
    },
    split: (text) => {
      const runs: { slice: string; text: string }[] = []
      for (const character of text) {
        const last = runs.at(-1)
        const point = pointOf(character)
        // Marks, spaces and signs of many scripts stay with what is before them.
        const stays = last !== undefined && /[\p{M}\p{Cf}\p{Zs}\p{P}\p{N}]/u.test(character)
        if (stays && opened.get(keyOf(last.slice, false))?.hasGlyphForCodePoint(point) === true) last.text += character
        else if (/\p{Cf}/u.test(character)) continue
        else {
          const slice = chosen.get(point) ?? null
          const name = (slice ?? chosen.get(pointOf(UNKNOWN)))?.name
          if (name === undefined) throw new Error('the text was not loaded')
          const shown = slice === null ? UNKNOWN : character
          if (last?.slice === name) last.text += shown
          else runs.push({ slice: name, text: shown })
        }
      }
      return runs
    },
    fontOf: (slice, isBold) => {
      const font = opened.get(keyOf(slice, isBold))
      if (font === undefined) throw new Error(`${slice} was not loaded`)
      return font
    },
  }
}

function keyOf(slice: string, isBold: boolean): string {
  return `${slice} ${isBold ? BOLD : REGULAR}`
}

function slicesOf(family: string): readonly Slice[] {
  const folder = dirname(required.resolve(`@fontsource-variable/${family}/package.json`))
  // A file of the package: ranges of characters by the names of its slices.
  const ranges = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')) as Readonly<Record<string, string>>
  return Object.entries(ranges).map(([key, text]) => {
    const name = `${family}-${key.replaceAll(/[[\]]/g, '')}`
    return { name, file: join(folder, 'files', `${name}-wght-normal.woff2`), ranges: text.split(',').map(rangeOf) }
  })
}

/** `U+1f1e9-1f1f5` or `U+fee3`. */
function rangeOf(text: string): readonly [number, number] {
  const [from = '', to = from] = text.trim().slice(2).split('-')
  return [Number.parseInt(from, 16), Number.parseInt(to, 16)]
}

function pointOf(character: string): number {
  return character.codePointAt(0) ?? 0
}
