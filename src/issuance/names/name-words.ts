import type { TenantId } from '../../caller.ts'
import { hmacSha256 } from '../../crypto/digest.ts'
import type { Sealing } from '../../keys/sealing.ts'

/** Further words of a name are not searched for. */
const NAME_WORDS_MAX = 8
/** The rest of a word does not count. */
const WORD_CHARS_MAX = 64
const MAC_BYTES = 16

/** Letters that are no letter with an accent, and how those write them who lack them. */
const spellings: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
}

/**
 * Returns the distinct words of a name as they are compared: at most eight, of at most 64 characters. Case and accents
 * do not count, and `ae`, `oe`, `ue` are `a`, `o`, `u`, so that Müller, Mueller and Muller are one word. A name in a
 * script without spaces is one word.
 */
export function nameWords(name: string): readonly string[] {
  const folded = name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    // By upper case: ß becomes ss, and both forms of the Greek sigma become one.
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[æœøłđðþ]/g, (letter) => spellings[letter] ?? letter)
    .replaceAll(/(?<=[aou])e/g, '')
    .normalize('NFC')
  const words = folded.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '')
  return [...new Set(words.map((word) => [...word].slice(0, WORD_CHARS_MAX).join('')))].slice(0, NAME_WORDS_MAX)
}

/**
 * Returns a keyed hash, of 16 bytes, of each of the {@link nameWords}. Equal words of a tenant have equal hashes. The
 * key stays the same when data keys are rotated.
 */
export async function nameWordMacs(sealing: Sealing, tenantId: TenantId, name: string): Promise<readonly Buffer[]> {
  const key = await sealing.derive(tenantId, 'name-words')
  return nameWords(name).map((word) => hmacSha256(key, word).subarray(0, MAC_BYTES))
}
