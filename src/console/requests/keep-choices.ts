import type { Choice } from '../../pages/controls.ts'
import { textNamed } from '../../pages/messages/catalogue.ts'
import type { RequestTexts } from './texts.ts'

/** Returns how long a result is kept, in words. @param seconds `''`: by default. */
export function keepText(seconds: string, t: RequestTexts): string {
  return textNamed(t.keeps, seconds) ?? t.keepOther(seconds)
}

/** Returns the times to choose from, the shortest first. @param now The one that is chosen; it may be any. */
export function keepChoices(now: string, t: RequestTexts): readonly Choice[] {
  const all = [...new Set([...Object.keys(t.keeps), now])]
  return all.toSorted((one, other) => Number(one) - Number(other)).map((value) => ({ value, text: keepText(value, t) }))
}
