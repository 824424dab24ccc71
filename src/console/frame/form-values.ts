import type { Fields } from '../../http/routes/endpoint.ts'
import { endOfDay, startOfDay } from '../../memory/day-bounds.ts'
import { type Html, html } from '../../pages/html.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import type { SignedInContext } from '../../pages/session/signed-in-endpoint.ts'
import type { ConsoleTexts, RuleTexts } from './texts.ts'

/** Returns all values of a member of `checkboxes`. */
export function typedAll(fields: Fields, name: string): readonly string[] {
  return fields.get(`${name}[]`) ?? []
}

/** What is wrong with a form: by the name of the field, and in general. */
export type Problems = { readonly fields: Readonly<Record<string, string>>; readonly general?: string | undefined }

type Rules = { readonly rules: RuleTexts }

/** Nothing is wrong. */
export const noProblems: Problems = { fields: {} }

/** Whether there is a problem. */
export function hasProblems({ fields, general }: Problems): boolean {
  return general !== undefined || Object.keys(fields).length > 0
}

/**
 * Returns the findings of a refused call at the fields of the form; rethrows what is no finding about the body.
 *
 * @param fieldOf Name of the field of a JSON pointer; null: it has none.
 * @param t Texts for the rules that the API names; without them its own sentence is shown. `limitOf`: what a field
 *   makes of a limit; `labelOf`: what it is called, where it is missing.
 */
export function problemsOf(
  error: unknown,
  fieldOf: (pointer: string) => string | null,
  t?: Rules & {
    readonly required?: ConsoleTexts['required']
    readonly limitOf?: (pointer: string, limit: string) => string
    readonly labelOf?: (pointer: string) => string | undefined
  },
): Problems {
  if (!(error instanceof ApiRefusal) || !isAboutForm(error, t)) throw error
  const fields: Record<string, string> = {}
  const general: string[] = []
  for (const { pointer, detail, title, rule, limit = '' } of error.errors) {
    const name = pointer === null ? null : fieldOf(pointer)
    const isMissing = rule === 'required' || (rule === 'minLength' && limit === '1')
    const label = isMissing && pointer !== null ? t?.labelOf?.(pointer) : undefined
    const words =
      label === undefined
        ? ruleWords(t, rule, pointer === null ? limit : (t?.limitOf?.(pointer, limit) ?? limit))
        : (t?.required?.(label) ?? null)
    if (name === null) general.push(words ?? (detail || title))
    else fields[name] ??= words ?? detail
  }
  return general.length === 0 ? { fields } : { fields, general: [...new Set(general)].join(' ') }
}

/** Where a finding of the API is shown: a field, what is said there of it, and what a limit is in it. */
export type Place = {
  readonly name: string
  readonly say?: (why: string) => string
  readonly limit?: ((limit: string) => string) | undefined
  /** Of a field that can be missing. */
  readonly label?: string | undefined
}

/**
 * Returns the findings of a refused call in words, each where it belongs: all of one field together. Rethrows what is
 * no finding about the body.
 *
 * @param placeOf Where a finding of a JSON pointer is shown; null: above the form.
 */
export function findingsOf(
  { t }: { readonly t: Rules & Pick<ConsoleTexts, 'required'> },
  error: unknown,
  placeOf: (pointer: string) => Place | null,
): Problems {
  const found = problemsOf(error, (pointer) => (placeOf(pointer) === null ? null : pointer), {
    rules: t.rules,
    required: t.required,
    limitOf: (pointer, limit) => placeOf(pointer)?.limit?.(limit) ?? limit,
    labelOf: (pointer) => placeOf(pointer)?.label,
  })
  const said = new Map<string, string>()
  for (const [pointer, why] of Object.entries(found.fields)) {
    const { name = '', say } = placeOf(pointer) ?? {}
    const [before, one] = [said.get(name), say?.(why) ?? why]
    said.set(name, before === undefined || before === one ? one : `${before} ${one}`)
  }
  return { ...found, fields: Object.fromEntries(said) }
}

/** Whether what was typed can mend it: its status says so, or rules that a form can say. */
function isAboutForm({ status, errors }: ApiRefusal, t: Rules | undefined): boolean {
  if ([400, 409, 422].includes(status)) return true
  return errors.length > 0 && errors.every(({ rule, limit = '' }) => ruleWords(t, rule, limit) !== null)
}

/** Returns what a rule of the API asks for in words; null for one without words. */
export function ruleWords(t: Rules | undefined, rule: string | undefined, limit: string): string | null {
  const type = rule === 'type' || rule === 'format' ? t?.rules[`type-${limit}`] : undefined
  const text = type ?? (rule === undefined ? undefined : t?.rules[rule])
  return typeof text === 'function' ? text(limit) : (text ?? null)
}

/** Returns the list of what is wrong, with links to the fields; it takes the focus. */
export function problemList(heading: string, { fields, general }: Problems): Html | null {
  const wrong = Object.entries(fields)
  if (wrong.length === 0 && general === undefined) return null
  const links = wrong.map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`)
  return html`<div class="message bad" role="alert" tabindex="-1" autofocus>
    <h2>${heading}</h2>
    ${general !== undefined && html`<p>${general}</p>`}
    ${links.length > 0 && html`<ul>${links}</ul>`}
  </div>`
}

/** Returns the beginning of a day of the organisation for a filter of the API; undefined for what is no day. */
export function dayStart(day: string | undefined, { me }: Pick<SignedInContext, 'me'>): string | undefined {
  return startOfDay(day, me.organisation.timeZone)
}

/** Returns the end of a day of the organisation for a filter of the API; undefined for what is no day. */
export function dayEnd(day: string | undefined, { me }: Pick<SignedInContext, 'me'>): string | undefined {
  return endOfDay(day, me.organisation.timeZone)
}

/** Returns what a filter offers whose choices are missing: the one that is chosen, so that it stays. */
export function keptChoice(
  chosen: string | undefined,
  { chosen: text }: Pick<ConsoleTexts, 'chosen'>,
): readonly { readonly value: string; readonly text: string }[] {
  return chosen === undefined || chosen === '' ? [] : [{ value: chosen, text }]
}
