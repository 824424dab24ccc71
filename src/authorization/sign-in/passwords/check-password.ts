import { foldCase } from '../../../directory/users/user.ts'
import { isFrequentPassword } from './frequent-passwords.ts'

/** Why a password is refused. */
export type PasswordFinding = 'too_short' | 'too_long' | 'common' | 'personal'

/** What a password must not be made of: names of the person, their addresses, their organisation. */
type PersonalWords = readonly (string | null)[]

/** Least number of characters of a password. */
export const PASSWORD_CHARS_MIN = 8
/** Greatest number of characters of a password. */
export const PASSWORD_CHARS_MAX = 200
const WORD_CHARS_MIN = 3

/**
 * Checks a new password: 8 to 200 characters (Unicode code points in NFC), none of the commonest, and enough of it that
 * does not come from the person's names. No rules about kinds of characters.
 *
 * @returns null if it is acceptable.
 * @see [NIST SP 800-63B-4, 3.1.1.2](https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver)
 */
export function checkPassword(password: string, personal: PersonalWords): PasswordFinding | null {
  if (password.length > 4 * PASSWORD_CHARS_MAX) return 'too_long'
  const { length } = [...password.normalize('NFC')]
  if (length < PASSWORD_CHARS_MIN) return 'too_short'
  if (length > PASSWORD_CHARS_MAX) return 'too_long'
  const folded = foldCase(password)
  if (isFrequentPassword(folded)) return 'common'
  return isPersonal(folded, personal) ? 'personal' : null
}

/** Whether fewer characters are left than a password needs, once the words about the person are taken out. */
function isPersonal(folded: string, personal: PersonalWords): boolean {
  const words = personal
    .flatMap((one) => (one === null ? [] : [foldCase(one), ...foldCase(one).split(/[^\p{L}\p{N}]+/u)]))
    .filter((one) => one.length >= WORD_CHARS_MIN)
    .toSorted((a, b) => b.length - a.length)
  const rest = words.reduce((text, word) => text.replaceAll(word, ''), folded)
  return rest !== folded && [...rest].length < PASSWORD_CHARS_MIN
}
