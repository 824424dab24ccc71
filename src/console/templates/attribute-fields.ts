import { type Choice, checkbox, hidden, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { closedFields } from '../resource/designed-page.ts'
import { type AttributeRow, DEPTH_MAX, endOf, labelTypes, siblingsOf } from './content/attribute-rows.ts'
import type { Draft } from './draft.ts'
import { localeName } from './locales.ts'
import { attributeTold } from './said.ts'
import { type TemplateTexts, templateTexts } from './texts.ts'

/** What the rows are drawn from. */
type Drawn = { readonly frame: Frame; readonly draft: Draft; readonly problems: Problems }

/** As many attributes are seen at once; of more, each is folded. */
const UNFOLDED_MAX = 4
/** Names of the fields of a row, before its place. */
const ROW_FIELD = /^(?:key|label\d*|type|of|about|card|named)-(\d+)$/

/**
 * Returns the attributes of a template as rows, parts below what they are parts of. Where there are many, each is
 * folded with its parts, but for one that is new, wrong, or where the person continues. What was open when the form was
 * sent stays open; without script the form knows only what this server opened.
 */
export function attributeFields(frame: Frame, draft: Draft, problems: Problems): Html {
  const drawn = { frame, draft, problems }
  const t = templateTexts[frame.language]
  const isMdoc = draft.format === 'mdoc'
  const add = button(isMdoc ? t.addNamespace : t.add, { name: 'do', value: 'add' })
  return html`${hidden('rows', String(draft.rows.length))}${level(drawn, 0, draft.rows.length)}<div>${add}</div>`
}

function level(drawn: Drawn, from: number, until: number): Html {
  const { rows } = drawn.draft
  const shown: Html[] = []
  for (let at = from; at < until; ) {
    const [row, end] = [rows[at], endOf(rows, at)]
    const parts = end > at + 1 && html`<div class="parts">${level(drawn, at + 1, end)}</div>`
    if (row?.type === 'namespace') shown.push(html`${namespace(drawn, row, at)}${parts}`)
    else if (row !== undefined) shown.push(folded(drawn, row, at, html`${attribute(drawn, row, at)}${parts}`))
    at = end
  }
  return html`${shown}`
}

function folded(
  { frame, draft: { rows, at: chosen }, problems }: Drawn,
  row: AttributeRow,
  at: number,
  content: Html,
): Html {
  if (rows.filter(({ type }) => type !== 'namespace').length <= UNFOLDED_MAX) return content
  const t = templateTexts[frame.language]
  const end = endOf(rows, at)
  const isWithin = (place: number) => place >= at && place < end
  const isNew = rows.slice(at, end).some(({ key, name }) => key === '' && name === '')
  const isWrong = Object.keys(problems.fields).some((name) => isWithin(Number(ROW_FIELD.exec(name)?.[1] ?? -1)))
  const isOpen = row.isOpen || isNew || isWrong || (chosen.row !== undefined && isWithin(chosen.row))
  const kind = Object.entries(t.types).find(([type]) => type === row.type)?.[1]
  return html`<details class="fold"${isOpen && html` open`}>
    <summary><b><bdi>${calledOf(t, rows, at)}</bdi></b> <span class="hint">${kind}</span></summary>
    ${hidden(`open-${at}`, isOpen ? '1' : '')}
    ${content}
  </details>`
}

/** What a row is called where it is spoken of. */
function calledOf(t: TemplateTexts, rows: readonly AttributeRow[], at: number): string {
  const place = rows.slice(0, at + 1).filter(({ type }) => type !== 'namespace').length
  return rows[at]?.name || rows[at]?.key || t.attribute(place)
}

function namespace(drawn: Drawn, row: AttributeRow, at: number): Html {
  const { frame, draft, problems } = drawn
  const t = templateTexts[frame.language]
  const place = draft.rows.slice(0, at + 1).filter(({ type }) => type === 'namespace').length
  const called = row.key || t.namespaceOf(place)
  const name = field(frame, {
    name: `key-${at}`,
    label: t.namespace,
    value: row.key,
    isName: true,
    isOptional: true,
    lengthMax: 128,
    error: problems.fields[`key-${at}`],
    ...(row.key === '' && { hint: t.namespaceHint }),
  })
  return html`<fieldset class="attribute"${focus(drawn, at)}>
    <legend class="hint">${t.namespaceOf(place)}</legend>
    ${kept(row, at)}${hidden(`type-${at}`, row.type)}
    <div class="tools">
      ${closedFields(html`<b>${t.moreNamespace}</b>`, row.key, name, problems)}
      ${button(t.addElement, { name: 'do', value: `part-${at}` })}
      ${moves(drawn, at, called)}
    </div>
  </fieldset>`
}

function attribute(drawn: Drawn, row: AttributeRow, at: number): Html {
  const { frame, draft, problems } = drawn
  const t = templateTexts[frame.language]
  const place = draft.rows.slice(0, at + 1).filter(({ type }) => type !== 'namespace').length
  const error = (name: string) => problems.fields[`${name}-${at}`]
  const text = (name: string, label: string, value: string) =>
    field(frame, { name: `${name}-${at}`, label, value, isOptional: true, lengthMax: 200, error: error(name) })
  const names = draft.languages.map(({ locale }, language) =>
    text(`label${language}`, t.labelIn(localeName(locale, frame.language)), row.names[language] ?? ''),
  )
  const key = {
    name: `key-${at}`,
    label: t.key,
    value: row.key,
    isName: true,
    isOptional: true,
    lengthMax: 128,
    error: error('key'),
    ...(row.key === '' && { hint: t.keyHint }),
  }
  const more = text('about', t.meaning, row.about)
  const each = checkbox({ name: `each-${at}`, label: t.each, hint: t.eachHint, isOn: row.isEach })
  const of = { name: `of-${at}`, label: t.of, value: row.of, choices: entriesOf(t, draft, row), error: error('of') }
  const entries = select(frame, of)
  const seldom = html`<div>${seldomTicks(drawn, row, at)}</div>${names}${field(frame, key)}${more}`
  const shown = ticks(drawn, row, at)
  const type = { name: `type-${at}`, label: t.type, value: row.type, choices: typesOf(t, draft), error: error('type') }
  const add = button(t.addPart, { name: 'do', value: `part-${at}` })
  return html`<fieldset class="attribute"${focus(drawn, at)}>
    <legend class="hint">${t.attribute(place)}</legend>
    ${kept(row, at)}
    ${text('label', t.label, row.name)}
    <div class="kind">${select(frame, type)}</div>
    <div class="of">${entries}${draft.format !== 'mdoc' && each}</div>
    ${shown !== null && html`<div class="tools"><div class="ticks">${shown}</div></div>`}
    <div class="tools">
      ${closedFields(html`<b>${t.more}</b>`, attributeTold(frame, draft, row), seldom, problems)}
      ${row.depth < DEPTH_MAX - 1 && html`<div class="adds">${add}</div>`}
      ${moves(drawn, at, calledOf(t, draft.rows, at))}
    </div>
  </fieldset>`
}

/** Members that are not for the person. */
function kept({ depth, rest }: AttributeRow, at: number): Html {
  return html`${depth > 0 && hidden(`depth-${at}`, String(depth))}${rest !== '' && hidden(`rest-${at}`, rest)}`
}

function focus({ draft }: Drawn, at: number): Html | false {
  return draft.at.row === at && html` tabindex="-1" autofocus`
}

/** Whether a value is always shown, and whether it names the credential, as far as the row has a choice. */
function ticks({ frame, draft, problems: { fields } }: Drawn, row: AttributeRow, at: number): Html | null {
  const t = templateTexts[frame.language]
  const { isAlways, isInLabel, type } = row
  const isMdoc = draft.format === 'mdoc'
  const canName = isAtTop(draft, row) && (labelTypes.includes(type) || isInLabel)
  if (isMdoc && !canName) return null
  const always = !isMdoc && checkbox({ name: `always-${at}`, label: t.always, isOn: isAlways })
  const named = { name: `named-${at}`, label: t.inLabel, isOn: isInLabel, error: fields[`named-${at}`] }
  return html`${always}${canName && checkbox(named)}`
}

function seldomTicks({ frame, draft, problems: { fields } }: Drawn, row: AttributeRow, at: number): Html {
  const t = templateTexts[frame.language]
  const required = checkbox({ name: `required-${at}`, label: t.required, isOn: row.isRequired })
  const card = { name: `card-${at}`, label: t.onCard, isOn: row.isOnCard, error: fields[`card-${at}`] }
  return html`${required}${isAtTop(draft, row) && checkbox(card)}`
}

/** Whether an attribute is part of no other one. */
function isAtTop({ format }: Draft, { depth }: AttributeRow): boolean {
  return depth === (format === 'mdoc' ? 1 : 0)
}

/** The order is changed by buttons. */
function moves({ frame, draft }: Drawn, at: number, called: string): Html {
  const t = templateTexts[frame.language]
  const { before, after } = siblingsOf(draft.rows, at)
  const one = (sign: string, what: string, value: string) =>
    html`<button type="submit" class="button plain" name="do" value="${value}-${at}"
      aria-label="${what}: ${called}" title="${what}">${sign}</button>`
  return html`<span class="moves">
    ${before && one('↑', t.up, 'up')}
    ${after && one('↓', t.down, 'down')}
    ${one('×', t.removeRow, 'remove')}
  </span>`
}

function typesOf(t: TemplateTexts, { format }: Draft): readonly Choice[] {
  const isForMdoc = (type: string) => type === 'tdate' || type === 'bytes'
  const fitting = Object.entries(t.types).filter(([value]) => format === 'mdoc' || !isForMdoc(value))
  return fitting.map(([value, text]) => ({ value, text }))
}

function entriesOf(t: TemplateTexts, draft: Draft, { of }: AttributeRow): readonly Choice[] {
  const known = typesOf(t, draft).filter(({ value }) => value !== 'array')
  const odd = Object.entries(t.entries).filter(([value]) => value === 'any' || of === value)
  return [...known, ...odd.map(([value, text]) => ({ value, text }))]
}
