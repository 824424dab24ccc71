import { memberOf } from '../../crypto/json.ts'
import { checkbox, choicesIn, hidden, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import { dayEnd, dayStart } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { actionTexts } from './action-texts.ts'
import type { LookedUp } from './look-up.ts'
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

/** Returns the filters of the list of events: kinds, days, and what it is about. */
export function eventFilters(asked: Asked): Record<string, string | undefined> {
  const { subject } = asked.query
  return { 'filter[type]': chosenTypes(asked, 'type'), 'filter[subject]': subject?.trim(), ...daysIn(asked) }
}

/** Returns the filters of the audit trail: kinds, days and result. Who and what it is about are looked up. */
export function auditFilters(
  asked: Asked,
  [actor, subject]: readonly [LookedUp, LookedUp],
): Record<string, string | undefined> {
  const ids = { 'filter[actor]': actor.ids, 'filter[subject]': subject.ids }
  return {
    'filter[action]': chosenTypes(asked, 'action'),
    'filter[result]': asked.query.result,
    ...ids,
    ...daysIn(asked),
  }
}

function daysIn(asked: Asked): Record<string, string | undefined> {
  const { from, until } = asked.query
  return { 'filter[createdAfter]': dayStart(from, asked), 'filter[createdBefore]': dayEnd(until, asked) }
}

/** Draws the filters of the events that are seldom set. */
export function seldomEventFilters(frame: Frame): Html {
  const { query, language } = frame
  const t = journalTexts[language]
  const subject = field(frame, {
    name: 'subject',
    label: t.subject,
    value: query.subject ?? '',
    isName: true,
    isFilter: true,
  })
  const isOpen = (query.subject ?? '') !== ''
  const byNumber = html`<details class="more"${isOpen && html` open`}>
    <summary>${t.byNumber}</summary>
    <p class="hint">${t.numberHint}</p>
    <div class="pair">${subject}</div>
  </details>`
  return html`${kinds(frame, 'type', eventNames(language))}${byNumber}`
}

/**
 * Draws the form of the filters of the audit trail. What a link has chosen by its id stays chosen until something else
 * is typed.
 */
export function auditFilterForm(frame: Frame, path: string): Html {
  const { query, language, t: common } = frame
  const t = journalTexts[language]
  const typed = (name: 'who' | 'reference') =>
    field(frame, {
      name,
      label: t.filters[name],
      type: 'search',
      lengthMax: 200,
      value: query[name] ?? '',
      isName: true,
      isFilter: true,
    })
  const kept = (name: 'actor' | 'subject', instead: string | undefined) =>
    (query[name] ?? '') !== '' && (instead ?? '') === '' && hidden(name, query[name] ?? '')
  const results = choicesIn(t.results)
  const choices = [{ value: '', text: common.all }, ...results]
  const result = select(frame, { name: 'result', label: t.result, value: query.result ?? '', choices })
  return html`<form class="filter" method="get" action="${path}">
    ${typed('who')}${typed('reference')}${dayFields(frame)}${result}
    ${kept('actor', query.who)}${kept('subject', query.reference)}
    ${button(common.filter)}
    ${kinds(frame, 'action', actionNames(language))}
  </form>`
}

/** Draws the first and the last day of a list. */
export function dayFields(frame: Frame): Html {
  const t = journalTexts[frame.language]
  const day = (name: 'from' | 'until') =>
    field(frame, { name, label: t[name], type: 'date', isFilter: true, value: frame.query[name] ?? '' })
  return html`${day('from')}${day('until')}`
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
    return html`<fieldset class="ticks"><legend>${memberOf(words, subject) ?? subject}</legend>${boxes}</fieldset>`
  })
  const summary = journalTexts[frame.language].kinds(String(chosen.size))
  return html`<details class="more"><summary>${summary}</summary><div class="groups">${parts}</div></details>`
}

function subjectOf(type: string): string {
  if (type.startsWith('openid4vc.issuance.')) return 'issuance'
  return type.startsWith('openid4vc.') ? 'presentation_request' : (type.split('.', 1)[0] ?? '')
}
