import { checkbox, choicesIn, hidden, select, textArea } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, message } from '../../pages/parts.ts'
import type { Choices } from '../frame/chooser.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { type AskedRow, askedPathText } from './asked-attributes.ts'
import type { AskedDraft } from './asked-credential.ts'
import type { RequestDraft } from './draft.ts'
import { entityFields } from './entity-choices.ts'
import { askedFields } from './fields.ts'
import { type RequestTexts, requestTexts } from './texts.ts'
import { furtherVerifierFields } from './verifier-fields.ts'
import { verifierTexts } from './verifier-texts.ts'

/** What the fields of a credential are drawn from. */
type Drawn = {
  readonly frame: Frame
  readonly draft: RequestDraft
  readonly problems: Problems
  readonly entities: Choices
}

/** Returns the fields of one credential of a request. */
export function credentialFields(drawn: Drawn, one: AskedDraft, at: number): Html {
  const { frame, draft, problems } = drawn
  const t = requestTexts[frame.language]
  const fields = problems.fields
  const rows = one.rows.map((row, place) => rowFields(drawn, one, row, `${at}-${place}`, place))
  const members = { own: one.isOwn ? '1' : '', rest: one.rest, rows: String(one.rows.length) }
  const own = html`${Object.entries(members)
    .map(([name, value]) => value !== '' && hidden(`${name}-${at}`, value))
    .filter((part) => part !== false)}`
  const several = draft.credentials.length > 1
  const ofOwn =
    one.isOwn &&
    html`${hidden(`type-${at}`, one.type)}${hidden(`format-${at}`, one.format)}${hidden(`cname-${at}`, one.name)}`
  const add = !one.isOwn && html`<div>${button(t.addRow, { name: 'do', value: `row-${at}` })}</div>`
  const tick = (name: 'optional' | 'multiple') => askedFields.field(frame, one.plain, problems, name, at)
  const canBeLeftOut = several && draft.which !== 'one'
  return html`${own}${ofOwn || typeFields(frame, t, one, at, fields)}
  <div class="asked" role="group" aria-label="${t.attributes}">${rows}${add}</div>
  ${issuerFields(drawn, one, at)}
  <div class="tools">
    ${canBeLeftOut && tick('optional')}
    ${tick('multiple')}
  </div>
  ${furtherVerifierFields(frame, one, at, problems)}
  ${several && html`<div>${button(t.drop, { name: 'do', value: `drop-${at}` })}</div>`}`
}

function typeFields(frame: Frame, t: RequestTexts, one: AskedDraft, at: number, fields: Problems['fields']): Html {
  const formats = choicesIn(t.formats)
  const called = field(frame, {
    name: `cname-${at}`,
    label: t.called,
    value: one.name,
    isOptional: true,
    lengthMax: 200,
    error: fields[`cname-${at}`],
  })
  const type = field(frame, {
    name: `type-${at}`,
    label: t.typeAddress,
    value: one.type,
    isName: true,
    lengthMax: 256,
    error: fields[`type-${at}`],
  })
  const format = select(frame, {
    name: `format-${at}`,
    label: t.format,
    value: one.format,
    choices: formats,
    error: fields[`format-${at}`],
  })
  return html`${type}<div class="pair">${called}${format}</div>`
}

/** An attribute with what its value must be. The style sheet hides what is not chosen. */
function rowFields(drawn: Drawn, one: AskedDraft, row: AskedRow, place: string, at: number): Html {
  const { frame, problems } = drawn
  const t = requestTexts[frame.language]
  const error = (name: string) => problems.fields[`${name}-${place}`]
  const isTyped = row.label === '' && !one.isOwn
  const kept = html`${row.label !== '' && hidden(`label-${place}`, row.label)}
  ${row.kind !== '' && hidden(`kind-${place}`, row.kind)}
  ${row.was !== '' && hidden(`was-${place}`, row.was)}`
  const path = {
    name: `path-${place}`,
    label: t.path,
    value: askedPathText(row.path),
    isName: true,
    error: error('path'),
  }
  const on = { name: `on-${place}`, label: row.label || askedPathText(row.path), isOn: row.isOn, error: error('on') }
  const name = isTyped
    ? html`${hidden(`on-${place}`, '1')}${field(frame, path)}`
    : html`${hidden(`path-${place}`, JSON.stringify(row.path))}${checkbox(on)}`
  const text = (id: 'value' | 'until', hint?: string) =>
    field(frame, {
      name: `${id}-${place}`,
      label: t[id],
      value: row[id],
      lengthMax: 500,
      error: error(id),
      ...(hint !== undefined && { hint }),
    })
  const retain = {
    name: `retain-${place}`,
    label: verifierTexts[frame.language].retain,
    isOn: row.isRetained,
    error: error('retain'),
  }
  const keeps = (one.format === 'mdoc' || row.isRetained) && checkbox(retain)
  const condition = select(frame, {
    name: `cond-${place}`,
    label: t.condition,
    value: row.condition,
    choices: conditionsOf(t, one, row),
    error: error('cond'),
  })
  const remove = html`<button type="submit" class="button plain" name="do" value="unrow-${place}"
    aria-label="${t.unrow}: ${t.attribute(at + 1)}" title="${t.unrow}">×</button>`
  return html`<div class="asked-row">
    ${kept}
    <div class="what">${name}</div>
    <div class="condition">${condition}</div>
    <div class="value">${text('value', row.condition === 'oneOf' ? t.valueHint : undefined)}</div>
    <div class="until">${text('until')}</div>
    ${keeps && html`<div class="retain">${keeps}</div>`}
    ${isTyped && one.rows.length > 1 && remove}
  </div>`
}

/** An mdoc is asked for values only, and texts have no bounds. */
function conditionsOf(t: RequestTexts, { format }: AskedDraft, { kind, condition }: AskedRow) {
  const isBounded = kind === 'number' || kind === 'date' || kind === ''
  const fits = (name: string) =>
    name === 'any' || name === 'oneOf' || name === condition || (format !== 'mdoc' && (name === 'is' || isBounded))
  const shown = Object.entries(t.conditions).filter(([name]) => fits(name))
  return shown.map(([value, text]) => ({ value, text }))
}

function issuerFields({ frame, problems, entities }: Drawn, one: AskedDraft, at: number): Html {
  const t = requestTexts[frame.language]
  const sources = choicesIn(t.sources)
  const listed = entityFields(frame, entities, one.entities, at)
  const issuers = textArea(frame, {
    name: `issuers-${at}`,
    label: t.issuers,
    hint: t.issuersHint,
    value: one.issuers,
    isCode: true,
    lengthMax: 10_000,
    error: problems.fields[`issuers-${at}`],
  })
  const error = problems.fields[`from-${at}`]
  return html`<div class="issuers">
    ${select(frame, { name: `from-${at}`, label: t.from, value: one.from, choices: sources, error })}
    <div class="from-entities">${listed}${askedFields.field(frame, one.plain, problems, 'inquery', at)}</div>
    <div class="from-issuers">${issuers}</div>
    <div class="from-anybody">${message('warn', t.anybodyText)}</div>
  </div>`
}
