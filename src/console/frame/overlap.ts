import type { Fields } from '../../http/routes/endpoint.ts'
import { choicesIn, select } from '../../pages/controls.ts'
import type { Html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import type { Frame } from './screen.ts'

const DAY = '86400'

/** Returns the list to choose from how long a former secret stays valid beside a new one; a day by default. */
export function overlapField(frame: Frame): Html {
  const choices = choicesIn(frame.t.overlaps)
  const value = typed(frame.fields, 'overlap') || DAY
  return select(frame, { name: 'overlap', label: frame.t.overlap, value, choices })
}

/** Returns the body of a rotation. */
export function overlapIn(fields: Fields): { readonly overlapSeconds?: number } {
  const seconds = typed(fields, 'overlap')
  return seconds === '' ? {} : { overlapSeconds: Number(seconds) }
}
