import { createRequire } from 'node:module'
import type { Fonts } from './open-fonts.ts'

/** Characters of one font and direction, in the order of their reading. */
export type TextRun = { readonly slice: string; readonly text: string; readonly isRightToLeft: boolean }

/** The Unicode Bidirectional Algorithm (UAX #9). Has no types of its own. */
type Bidi = {
  readonly getEmbeddingLevels: (
    text: string,
    direction: 'ltr' | 'rtl' | 'auto',
  ) => { readonly levels: Uint8Array; readonly paragraphs: readonly { readonly level: number }[] }
  readonly getMirroredCharacter: (character: string) => string | null
}

const bidi = (createRequire(import.meta.url)('bidi-js') as () => Bidi)()

/** Returns whether a text begins from right to left, by its first letter that has a direction. [UAX #9, P2] */
export function startsAtRight(text: string): boolean {
  return bidi.getEmbeddingLevels(text, 'auto').paragraphs[0]?.level === 1
}

/**
 * Breaks a text into lines at spaces; what is wider than a line by itself, such as an address or a name without spaces,
 * between its characters. What does not fit into the last line is cut.
 *
 * @param widthOf Width of a text, as `width`.
 */
export function breakLines(
  text: string,
  width: number,
  linesMax: number,
  widthOf: (text: string) => number,
): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<= )/).flatMap((one) => piecesOf(one, width, widthOf))) {
    if (line !== '' && widthOf((line + word).trimEnd()) > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += word
  }
  lines.push(line.trimEnd())
  if (lines.length <= linesMax) return lines
  const last = lines[linesMax - 1] ?? ''
  return [...lines.slice(0, linesMax - 1), cut(last, width, widthOf)]
}

function piecesOf(word: string, width: number, widthOf: (text: string) => number): readonly string[] {
  if (widthOf(word.trimEnd()) <= width) return [word]
  const pieces: string[] = []
  let piece = ''
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(word)) {
    if (piece !== '' && widthOf(piece + segment) > width) {
      pieces.push(piece)
      piece = ''
    }
    piece += segment
  }
  return [...pieces, piece]
}

function cut(line: string, width: number, widthOf: (text: string) => number): string {
  let shown = line
  while (shown !== '' && widthOf(`${shown}…`) > width) shown = shown.slice(0, -1)
  return `${shown.toWellFormed()}…`
}

/**
 * Returns the runs of a line from left to right, each of one font and direction. Brackets in a run from right to left
 * are mirrored. [UAX #9, L2 and L4]
 */
export function runsOf(line: string, isRightToLeft: boolean, fonts: Fonts): readonly TextRun[] {
  const { levels } = bidi.getEmbeddingLevels(line, isRightToLeft ? 'rtl' : 'ltr')
  const runs = levelRuns(line, levels).flatMap(({ text, level }) => {
    const isReversed = level % 2 === 1
    const shown = isReversed ? [...text].map((one) => bidi.getMirroredCharacter(one) ?? one).join('') : text
    return fonts.split(shown).map((run) => ({ ...run, isRightToLeft: isReversed, level }))
  })
  return reordered(runs)
}

function levelRuns(line: string, levels: Uint8Array): readonly { readonly text: string; readonly level: number }[] {
  const runs: { text: string; level: number }[] = []
  for (let at = 0; at < line.length; at += 1) {
    const [level, last] = [levels[at] ?? 0, runs.at(-1)]
    if (last?.level === level) last.text += line[at]
    else runs.push({ text: line[at] ?? '', level })
  }
  return runs
}

/** Reverses, from the highest level down to 1, each sequence of runs of that level or a higher one. */
function reordered<T extends { readonly level: number }>(runs: readonly T[]): readonly T[] {
  let order = runs
  for (let level = Math.max(0, ...runs.map((one) => one.level)); level >= 1; level -= 1) {
    const next: T[] = []
    let sequence: T[] = []
    for (const run of order) {
      if (run.level >= level) sequence.push(run)
      else {
        next.push(...sequence.reverse(), run)
        sequence = []
      }
    }
    order = [...next, ...sequence.reverse()]
  }
  return order
}
