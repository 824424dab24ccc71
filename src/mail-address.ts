/** Before the `@` an address has words with dots, after it a host name with dots. */
const WORDS = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i
const WORDS_CHARS_MAX = 64
const FOREIGN = /^[^\s@]{1,255}@[^\s@]{1,255}$/

/**
 * Whether mails are sent to an address: words with dots at a domain name, at most 64 characters before the `@`. It has
 * no quoted words, comments or white space, so nothing that means something in a header.
 *
 * @see [RFC 5321, 4.1.2 and 4.5.3.1](https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2)
 */
export function isMailAddress(text: string): boolean {
  const at = text.indexOf('@')
  return at > 0 && at <= WORDS_CHARS_MAX && WORDS.test(text.slice(0, at)) && HOST.test(text.slice(at + 1))
}

/**
 * Whether a text is an address as other systems hold those of their people: also one in other scripts, at a host
 * without a dot, or with more than 64 characters before the `@`. At most 255 characters on either side of it.
 */
export function isForeignAddress(text: string): boolean {
  return FOREIGN.test(text) && !text.includes('\0')
}
