import { checkbox, checkboxes, hidden, select, textArea } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { type Draft, isConfigured, roleNames, scopeNames } from './draft.ts'
import { applicationTexts } from './texts.ts'

/** Where what is wrong with the grants is said: at the first of them. */
export const GRANTS_AT = 'grants-authorization_code'
/** Faults of these open the group of what is seldom changed. */
const seldom = ['signOuts', 'logout', 'keys', 'keysAt', GRANTS_AT] as const
const KEYS_CHARS_MAX = 20_000
const LINES_CHARS_MAX = 40_000

/** Returns the fields of an application. @param isNew Its kind can be chosen, and it is in use. */
export function applicationFields(frame: Frame, draft: Draft, problems: Problems, isNew: boolean): Html {
  const t = applicationTexts[frame.language]
  const { fields } = problems
  const kinds = Object.entries(t.kinds).map(([value, text]) => ({ value, text }))
  const kind = isNew
    ? select(frame, { name: 'kind', label: t.kind, value: draft.kind, choices: kinds, error: fields.kind })
    : hidden('kind', draft.kind)
  const choices = roleNames.map((value) => ({ value, text: frame.texts.roles[value] }))
  const off = checkbox({ name: 'disabled', label: t.disable, hint: t.disableHint, isOn: draft.isDisabled })
  const name = { name: 'name', label: t.name, value: draft.name, lengthMax: 200, error: fields.name }
  const redirects = textArea(frame, {
    name: 'redirects',
    label: t.redirects,
    hint: t.redirectsHint,
    value: draft.redirects,
    isOptional: true,
    lengthMax: LINES_CHARS_MAX,
    error: fields.redirects,
  })
  return html`${hidden('etag', draft.etag)}${field(frame, name)}${kind}${checkboxes('roles', t.roles, choices, draft.roles)}${redirects}${moreFields(frame, draft, problems)}${!isNew && off}`
}

/** A group that is open where something in it is set or wrong. */
function moreFields(frame: Frame, draft: Draft, { fields }: Problems): Html {
  const t = applicationTexts[frame.language]
  const isOpen = isConfigured(draft) || seldom.some((name) => fields[name] !== undefined)
  const area = (name: 'signOuts' | 'keys', lengthMax: number, isCode: boolean) =>
    textArea(frame, {
      name,
      label: t[name],
      hint: t[`${name}Hint`],
      value: draft[name],
      error: fields[name],
      isOptional: true,
      isCode,
      lengthMax,
    })
  const address = (name: 'logout' | 'keysAt') =>
    field(frame, {
      name,
      label: t[name],
      hint: t[`${name}Hint`],
      value: draft[name],
      error: fields[name],
      isOptional: true,
      isName: true,
      lengthMax: 2000,
    })
  const scopes = [...new Set([...scopeNames, ...draft.scopes])].map((value) => ({ value, text: value }))
  const grants = Object.entries(t.grantNames).map(([value, text]) => ({ value, text }))
  const wrong = fields[GRANTS_AT] !== undefined && html`<p class="error">${fields[GRANTS_AT]}</p>`
  const ticks = html`${checkbox({ name: 'consent', label: t.consent, hint: t.consentHint, isOn: draft.asksConsent })}
${checkbox({ name: 'dpop', label: t.dpop, isOn: draft.isBound })}
${checkbox({ name: 'par', label: t.par, isOn: draft.isPushed })}
${checkbox({ name: 'noPkce', label: t.noPkce, hint: t.noPkceHint, isOn: draft.isWithoutPkce })}
${checkbox({ name: 'es256', label: t.es256, hint: t.es256Hint, isOn: draft.isEs256 })}`
  return html`<details${isOpen && html` open`}><summary>${t.more}</summary><div class="stack">${ticks}${area('signOuts', LINES_CHARS_MAX, false)}${address('logout')}${area('keys', KEYS_CHARS_MAX, true)}${address('keysAt')}${wrong}${checkboxes('grants', t.grants, grants, draft.grants)}${checkboxes('scopes', t.scopes, scopes, draft.scopes)}</div></details>`
}
