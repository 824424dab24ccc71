import { checkbox, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import { dayEnd, dayStart } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { actionTexts } from './action-texts.ts'
import { journalTexts } from './texts.ts'

type Asked = Pick<Frame, 'query' | 'me'>

/** Before the name of a type in the address: a member of a query stands there once, so each type has its own. */
const MARK = 'is.'

/** Returns the words for every event type. */
export function eventNames(language: Frame['language']): Readonly<Record<string, string>> {
  return journalTexts[language].events
}

/** Returns the words for every action of the audit trail; events are among them. */
export function actionNames(language: Frame['language']): Readonly<Record<string, string>> {
  return { ...actionTexts[language].actions, ...journalTexts[language].events }
}

/** Returns the chosen types, as the API takes them; undefined: all. A link may name them in the member `name`. */
function chosenTypes({ query }: Pick<Frame, 'query'>, name: 'type' | 'action'): string | undefined {
  const ticked = Object.keys(query).flatMap((one) => (one.startsWith(MARK) ? [one.slice(MARK.length)] : []))
  return ticked.length === 0 ? query[name]?.trim() : ticked.join(',')
}

/** Returns the filters of a list of what happened: kinds, days, whom and what it is about. */
export function journalFilters(asked: Asked, name: 'type' | 'action'): Record<string, string | undefined> {
  const { from, until, actor, subject, result } = asked.query
  return {
    [`filter[${name}]`]: chosenTypes(asked, name),
    'filter[subject]': subject?.trim(),
    ...(name === 'action' && { 'filter[actor]': actor?.trim(), 'filter[result]': result }),
    'filter[createdAfter]': dayStart(from, asked),
    'filter[createdBefore]': dayEnd(until, asked),
  }
}

/** Draws the form of the filters. @param names What can be chosen: types with their words */
export function filterForm(
  frame: Frame,
  { path, name, names }: { path: string; name: 'type' | 'action'; names: Readonly<Record<string, string>> },
): Html {
  const { query, language, t: common } = frame
  const t = journalTexts[language]
  const day = (one: 'from' | 'until') =>
    field(frame, { name: one, label: t[one], type: 'date', value: query[one] ?? '' })
  const results = Object.entries(t.results).map(([value, text]) => ({ value, text }))
  const choices = [{ value: '', text: common.all }, ...results]
  const result =
    name === 'action' && select(frame, { name: 'result', label: t.result, value: query.result ?? '', choices })
  const members = name === 'action' ? (['actor', 'subject'] as const) : (['subject'] as const)
  const isByNumber = members.some((one) => (query[one] ?? '') !== '')
  const numbers = members.map((one) =>
    field(frame, { name: one, label: t[one], value: query[one] ?? '', isName: true }),
  )
  const byNumber = html`<details class="more"${isByNumber && html` open`}><summary>${t.byNumber}</summary><p class="hint">${t.numberHint}</p><div class="pair">${numbers}</div></details>`
  return html`<form class="filter" method="get" action="${path}">${day('from')}${day('until')}${result}${button(common.filter)}${kinds(frame, name, names)}${byNumber}</form>`
}

/** The kinds to tick, under what they are about. */
function kinds(frame: Frame, name: 'type' | 'action', names: Readonly<Record<string, string>>): Html {
  const { kinds: words } = actionTexts[frame.language]
  const chosen = new Set((chosenTypes(frame, name) ?? '').split(',').filter((one) => one !== ''))
  const groups = Map.groupBy(Object.keys(names), subjectOf)
  const parts = [...groups].map(([subject, types]) => {
    const boxes = types.map((type) =>
      checkbox({
        id: `is-${type.replaceAll('.', '-')}`,
        name: `${MARK}${type}`,
        label: names[type] ?? type,
        isOn: chosen.has(type),
      }),
    )
    return html`<fieldset class="ticks"><legend>${words[subject] ?? subject}</legend>${boxes}</fieldset>`
  })
  const summary = journalTexts[frame.language].kinds(String(chosen.size))
  return html`<details class="more"><summary>${summary}</summary><div class="groups">${parts}</div></details>`
}

function subjectOf(type: string): string {
  if (type.startsWith('openid4vc.issuance.')) return 'issuance'
  return type.startsWith('openid4vc.') ? 'presentation_request' : (type.split('.', 1)[0] ?? '')
}
