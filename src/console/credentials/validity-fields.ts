import type { CreateIssuanceBody } from '../../contract/issuance/issuances.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { dayEnd, dayStart, type Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { credentialTexts } from './texts.ts'

const names = ['validFrom', 'validUntil'] as const

/**
 * Returns the fields for the first and the last day of one credential, folded away unless one is filled in or wrong:
 * most credentials have the validity of their template.
 */
export function validityFields(frame: Frame, { fields: wrong }: Problems): Html {
  const t = credentialTexts[frame.language]
  const isOpen = names.some((name) => wrong[name] !== undefined || typed(frame.fields, name) !== '')
  const days = names.map((name) =>
    field(frame, {
      name,
      label: t[name],
      hint: t.validityHints[name],
      type: 'date',
      value: typed(frame.fields, name),
      isOptional: true,
      error: wrong[name],
    }),
  )
  return html`<details${isOpen && html` open`}><summary>${t.validity}</summary>${days}</details>`
}

/**
 * Returns the members of the body with the validity of one credential: from the beginning of its first day to the end
 * of its last one, in the time zone of the organisation.
 */
export function validityOfForm(
  frame: Pick<Frame, 'fields' | 'me'>,
): Pick<CreateIssuanceBody, 'validFrom' | 'validUntil'> {
  const from = dayStart(typed(frame.fields, 'validFrom'), frame)
  const until = dayEnd(typed(frame.fields, 'validUntil'), frame)
  return {
    ...(from !== undefined && { validFrom: from }),
    ...(until !== undefined && { validUntil: until }),
  }
}
