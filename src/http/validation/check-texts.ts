import { isJsonObject } from '../../crypto/json.ts'
import { Fault, type Violation } from '../../fault.ts'
import { pointerTo } from '../../json-pointer.ts'

/** Spells NUL or half of a surrogate pair; raw bytes cannot, since they are UTF-8. */
const SUSPECT = /\\u(?:0000|[dD][89a-fA-F])/
const VIOLATIONS_MAX = 100

/**
 * Refuses texts in a JSON body that are no Unicode text, or hold NUL, which PostgreSQL keeps in no column.
 *
 * @param written The body as it came: looking into it spares the walk.
 * @throws Fault `request.invalid` with one violation per place
 * @see [RFC 7493, 2.1](https://www.rfc-editor.org/rfc/rfc7493#section-2.1)
 */
export function checkTexts(body: unknown, written: Buffer): void {
  if (!SUSPECT.test(written.toString('latin1'))) return
  const violations = odd(body, '')
  if (violations.length > 0) throw new Fault('request.invalid', { violations: violations.slice(0, VIOLATIONS_MAX) })
}

function odd(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string') return isPlain(value) ? [] : [violationAt(pointer)]
  if (Array.isArray(value)) return value.flatMap((item, at) => odd(item, `${pointer}/${at}`))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const at = pointerTo(pointer, name.toWellFormed())
    return isPlain(name) ? odd(member, at) : [violationAt(at)]
  })
}

function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function violationAt(pointer: string): Violation {
  return { detail: 'The text must be well-formed Unicode without the NUL character.', pointer }
}
