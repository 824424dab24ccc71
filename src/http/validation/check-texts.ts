import { isJsonObject } from '../../crypto/json.ts'
import { Fault, type Violation } from '../../fault.ts'
import { pointerTo } from '../../json-pointer.ts'

/** An escape of NUL or of a surrogate; valid UTF-8 contains no raw surrogates. */
const SUSPECT = /\\u(?:0000|[dD][89a-fA-F])/
const VIOLATIONS_MAX = 100

/**
 * Refuses strings in a JSON body that are not well-formed Unicode, or contain NUL, which PostgreSQL cannot store.
 *
 * @param written The bytes of the body: without a suspicious escape the value is not walked.
 * @throws Fault `request.invalid` with one violation per place
 * @see [RFC 7493, 2.1](https://www.rfc-editor.org/rfc/rfc7493#section-2.1)
 */
export function checkTexts(body: unknown, written: Buffer): void {
  if (!SUSPECT.test(written.toString('latin1'))) return
  const violations = malformedTexts(body, '')
  if (violations.length > 0) throw new Fault('request.invalid', { violations: violations.slice(0, VIOLATIONS_MAX) })
}

function malformedTexts(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string') return isPlain(value) ? [] : [violationAt(pointer)]
  if (Array.isArray(value)) return value.flatMap((item, at) => malformedTexts(item, `${pointer}/${at}`))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const at = pointerTo(pointer, name.toWellFormed())
    return isPlain(name) ? malformedTexts(member, at) : [violationAt(at)]
  })
}

function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function violationAt(pointer: string): Violation {
  return { detail: 'The text must be well-formed Unicode without the NUL character.', pointer }
}
