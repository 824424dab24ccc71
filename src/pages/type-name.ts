import { foreignText } from '../protocols/foreign-text.ts'

const CHARS_MAX = 100
/** A version, or only figures. */
const SAYS_NOTHING = /^v?[\d._-]*$/i

/**
 * Returns what people can make of the type of a credential of which nothing else is known: the last part that says
 * something, as words. That of `https://example.org/vct/employee_badge/v2` is `Employee badge`, that of
 * `org.iso.18013.5.1.mDL` is `mDL`. At most 100 characters, without controls; never empty.
 */
export function typeName(type: string): string {
  const address = addressOf(type)
  const parts = (address?.pathname ?? type).split(address === null ? /[:./#?]/ : '/').map(decoded)
  const last = parts.findLast((part) => !SAYS_NOTHING.test(part.trim()))
  return wordsOf(last ?? '') ?? foreignText(address?.hostname, CHARS_MAX) ?? foreignText(type, CHARS_MAX) ?? '–'
}

function addressOf(type: string): URL | null {
  const address = URL.parse(type)
  return address?.protocol === 'https:' || address?.protocol === 'http:' ? address : null
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** `employee_badge` and `employee-badge` as `Employee badge`; capitals within a word, as of `mDL`, stay. */
function wordsOf(part: string): string | null {
  const words = foreignText(part.replaceAll(/[_-]+/g, ' ').trim(), CHARS_MAX)
  if (words === null || !/^\p{Ll}(?!\p{Lu})/u.test(words)) return words
  return words.charAt(0).toUpperCase() + words.slice(1)
}
