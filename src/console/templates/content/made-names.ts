import { mdl } from '../../../protocols/mdoc/mdl.ts'
import { isReservedName } from '../../../protocols/sd-jwt-vc/reserved-names.ts'
import type { AttributeRow } from './attribute-rows.ts'

/** Letters that are written as others, and do not only lose an accent. */
const respelled: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}

/** Returns the letters a to z and figures of a text, in words that `sign` joins; `''` if there are none. */
export function plainName(text: string, sign: '-' | '_'): string {
  const latin = text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[äöüßæœøłđðþı]/g, (letter) => respelled[letter] ?? letter)
  const plain = latin.normalize('NFD').replaceAll(/\p{M}/gu, '')
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word !== '')
  return words.join(sign).slice(0, 64)
}

/** Returns a technical name: it begins with a letter, and is none of the claims that the format keeps for itself. */
function technicalName(name: string): string {
  const plain = plainName(name, '_') || 'attribute'
  if (/^\d/.test(plain)) return `no_${plain}`
  return isReservedName(plain) ? `${plain}_value` : plain
}

/**
 * Gives a technical name to each row that has only one for people: see {@link technicalName},
 * with a number where a row beside it has the name.
 */
export function withMadeKeys(rows: readonly AttributeRow[]): readonly AttributeRow[] {
  const above: number[] = []
  const parents = rows.map(({ depth }, at) => {
    above[depth] = at
    return depth === 0 ? -1 : (above[depth - 1] ?? -1)
  })
  const used = new Map<number, Set<string>>()
  const besideOf = (at: number): Set<string> => {
    const parent = parents[at] ?? -1
    const keys = used.get(parent) ?? new Set(rows.flatMap(({ key }, other) => (parents[other] === parent ? key : [])))
    used.set(parent, keys)
    return keys
  }
  return rows.map((row, at) => {
    if (row.key !== '' || row.name === '' || row.type === 'namespace') return row
    const beside = besideOf(at)
    const made = technicalName(row.name)
    let key = made
    for (let number = 2; beside.has(key); number += 1) key = `${made}_${number}`
    beside.add(key)
    return { ...row, key }
  })
}

/**
 * Gives a name to each namespace that has none: that of the document type, of a driving licence that of ISO/IEC
 * 18013-5, with a number where another one has it. All stay as they are while the document type is not known.
 */
export function withMadeNamespaces(rows: readonly AttributeRow[], docType: string): readonly AttributeRow[] {
  const first = docType === mdl.docType ? mdl.nameSpace : docType
  const used = new Set(rows.flatMap(({ type, key }) => (type === 'namespace' ? key : [])))
  return rows.map((row) => {
    if (row.type !== 'namespace' || row.key !== '' || docType === '') return row
    let key = first
    for (let number = 2; used.has(key); number += 1) key = `${first}.${number}`
    used.add(key)
    return { ...row, key }
  })
}
