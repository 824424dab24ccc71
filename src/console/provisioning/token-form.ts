import type { GivenBody } from '../../contract/call.ts'
import type { scimTokens } from '../../contract/directory/scim-tokens.ts'
import { select } from '../../pages/controls.ts'
import { shownText } from '../../pages/foreign-text.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import type { Application } from '../applications/application.ts'
import { type Problems, problemsOf } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { provisioningTexts } from './texts.ts'

/** What is known of the applications of the organisation. `hasMore`: there are others than these. */
export type Applications = {
  readonly all: readonly Pick<Application, 'clientId' | 'name' | 'disabled'>[]
  readonly hasMore: boolean
}

/** Returns what an application is called. */
export function nameOf({ clientId, name }: Applications['all'][number]): string {
  return shownText(name ?? clientId, 80)
}

/** Returns the fields of a new token, as typed. */
export function tokenFields(frame: Frame, { all, hasMore }: Applications, { fields: errors }: Problems): Html {
  const t = provisioningTexts[frame.language]
  const value = (name: string) => typed(frame.fields, name)
  const hint = t.applicationHint(frame.texts.roles['user-admin'])
  const choices = all.filter(({ disabled }) => !disabled).map((one) => ({ value: one.clientId, text: nameOf(one) }))
  const which = { name: 'clientId', value: value('clientId'), hint, error: errors.clientId }
  // A list of all of them would be too long.
  const application = hasMore
    ? field(frame, { ...which, label: t.applicationId, isName: true, lengthMax: 200 })
    : select(frame, { ...which, label: t.application, choices })
  const name = { name: 'name', label: t.name, hint: t.nameHint, value: value('name'), error: errors.name }
  const days = { name: 'days', label: t.days, hint: t.daysHint, value: value('days'), error: errors.days }
  return html`${field(frame, { ...name, lengthMax: 200 })}${application}${field(frame, { ...days, isOptional: true, isName: true, lengthMax: 4 })}`
}

/** Returns what is missing or cannot be, before the API is asked. */
export function checkToken(frame: Frame): Problems {
  const t = provisioningTexts[frame.language]
  const [name, clientId, days] = (['name', 'clientId', 'days'] as const).map((one) => typed(frame.fields, one))
  const isNumber = days === '' || (/^\d{1,4}$/.test(days ?? '') && Number(days) >= 1 && Number(days) <= 3650)
  return {
    fields: {
      ...(name === '' && { name: frame.t.required(t.name) }),
      ...(clientId === '' && { clientId: frame.t.required(t.application) }),
      ...(!isNumber && { days: t.daysWrong }),
    },
  }
}

/** Returns the body of a new token. */
export function tokenBody({ fields }: Pick<Frame, 'fields'>): GivenBody<typeof scimTokens.create> {
  const days = typed(fields, 'days')
  const named = { clientId: typed(fields, 'clientId'), name: typed(fields, 'name') }
  return { ...named, ...(days !== '' && { expiresInDays: Number(days) }) }
}

/** Returns the findings of the API at their fields. */
export function refusedToken(error: unknown, frame: Frame): Problems {
  const t = provisioningTexts[frame.language]
  const isGone = error instanceof ApiRefusal && error.status === 404
  if (isGone) return { fields: { clientId: t.applicationGone } }
  const names: Readonly<Record<string, string>> = { '/clientId': 'clientId', '/name': 'name', '/expiresInDays': 'days' }
  return problemsOf(error, (pointer) => names[pointer] ?? null, frame.t)
}
