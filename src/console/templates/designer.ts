import { type Choice, checkbox, hidden, select } from '../../pages/controls.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { cardStyle, credentialCard } from '../../pages/look/credential-card.ts'
import { onceField } from '../../pages/once.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { hasProblems, type Problems, problemList } from '../frame/form-values.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import type { AttributeRow, Draft } from './draft.ts'
import { type TemplateTexts, templateTexts } from './texts.ts'

/** What the designer shows. `fixedType`: the type of a template that exists. */
type DesignerProps = {
  readonly draft: Draft
  readonly action: string
  readonly problems: Problems
  readonly fixedType: string | null
  /** The row that the person continues at. */
  readonly at?: number | undefined
  /** Above the form: what another person saved meanwhile. */
  readonly conflict?: Html | undefined
}

/** The screen on which a template is made or changed. */
export function designer(frame: Frame, props: DesignerProps): Screen {
  const t = templateTexts[frame.language]
  const { draft, action, problems, fixedType, conflict } = props
  const title = fixedType === null ? t.new : t.edit
  const content = html`${hidden('etag', draft.etag)}${hidden('rows', String(draft.rows.length))}${onceField(frame.fields)}
<button type="submit" name="do" value="save" hidden>${frame.t.save}</button>
${card(basics(frame, t, props))}
${card(html`${draft.rows.map((one, at) => rowOf(frame, t, props, one, at))}<div>${button(t.add, { name: 'do', value: 'add' })}</div>`, t.attributes)}
${card(look(frame, t, props), t.card)}
${card(validity(frame, t, props), t.validity)}
<div class="buttons narrow">${button(frame.t.save, { look: 'main', name: 'do', value: 'save' })}${button(t.preview, { name: 'do', value: 'preview' })}${buttonLink(frame.t.cancel, '/console/templates')}</div>`
  return {
    title,
    crumbs: [[t.title, '/console/templates'], [title]],
    main: html`${problemList(frame.texts.problems, problems)}${conflict}
<div class="beside"><fragment-form target="card" submit="do=preview">${form(frame, action, content)}</fragment-form>
<aside class="stack" aria-label="${t.card}"><div id="card">${cardOf(frame, draft)}</div></aside></div>`,
    style: cardStyle(draft),
    modules: ['fragments'],
    hasErrors: hasProblems(problems),
  }
}

/** The card as it will look. */
export function cardOf({ me }: Pick<Frame, 'me'>, { name, rows, back, ink }: Draft): Html {
  const line = rows.slice(0, 2).map((one) => one.name || one.key)
  return credentialCard({ issuer: me.organisation.name, name: name || '…', line: line.join(' · '), back, ink })
}

function basics(frame: Frame, t: TemplateTexts, { draft, problems: { fields }, fixedType }: DesignerProps): Html {
  const formats: readonly Choice[] = Object.entries(t.formats).map(([value, text]) => ({ value, text }))
  const fixed = html`<p class="hint">${t.fixed}</p>${hidden('format', draft.format)}${hidden('docType', draft.docType)}${hidden('code', draft.code)}${draft.isRevocable && hidden('revocable', '1')}
<dl class="facts"><div><dt>${t.format}</dt><dd>${t.formats[draft.format]}</dd></div><div><dt>${t.code}</dt><dd>${draft.code}</dd></div><div><dt>${t.typeAddress}</dt><dd>${fixedType}</dd></div><div><dt>${t.revocable}</dt><dd>${draft.isRevocable ? frame.texts.yes : frame.texts.no}</dd></div></dl>`
  const open = html`${select(frame, { name: 'format', label: t.format, value: draft.format, choices: formats })}
${field(frame, { name: 'docType', label: t.docType, hint: t.docTypeHint, value: draft.docType, isOptional: true, isName: true, error: fields.docType })}
${field(frame, { name: 'code', label: t.code, hint: t.codeHint, value: draft.code, isOptional: true, isName: true, lengthMax: 64, error: fields.code })}
${checkbox({ name: 'revocable', label: t.revocable, isOn: draft.isRevocable })}`
  const isOpen = ['docType', 'code'].some((name) => fields[name] !== undefined)
  return html`${field(frame, { name: 'name', label: t.name, value: draft.name, lengthMax: 200, error: fields.name })}
${field(frame, { name: 'description', label: t.about, value: draft.description, isOptional: true, lengthMax: 1000, error: fields.description })}
<details${isOpen && html` open`}><summary>${t.details}</summary><div class="stack">${fixedType === null ? open : fixed}</div></details>`
}

function rowOf(frame: Frame, t: TemplateTexts, props: DesignerProps, one: AttributeRow, at: number): Html {
  const { draft, problems } = props
  const error = (name: string) => problems.fields[`${name}-${at}`]
  const simple = Object.entries(t.types).filter(
    ([value]) => draft.format === 'mdoc' || (value !== 'tdate' && value !== 'bytes'),
  )
  const types: readonly Choice[] = simple.map(([value, text]) => ({ value, text }))
  const isNested = one.type === 'object' || one.type === 'array'
  const type = isNested
    ? html`<p class="field"><b>${t.nested}</b><span class="hint">${t.nestedHint}</span>${hidden(`type-${at}`, one.type)}</p>`
    : select(frame, { name: `type-${at}`, label: t.type, value: one.type, choices: types })
  const namespace = {
    name: `namespace-${at}`,
    label: t.namespace,
    value: one.namespace,
    isName: true,
    lengthMax: 200,
    error: error('namespace'),
  }
  return html`<fieldset class="attribute"${props.at === at && html` tabindex="-1" autofocus`}><legend class="hint">${t.attribute(at + 1)}</legend>
${field(frame, { name: `label-${at}`, label: t.label, value: one.name, isOptional: true, lengthMax: 200, error: error('label') })}
${field(frame, { name: `key-${at}`, label: t.key, value: one.key, isName: true, lengthMax: 64, error: error('key') })}
${type}${draft.format === 'mdoc' ? field(frame, namespace) : null}
${one.rest !== '' && hidden(`rest-${at}`, one.rest)}
<div class="tools"><div class="ticks">${checkbox({ name: `required-${at}`, label: t.required, isOn: one.isRequired })}${draft.format === 'mdoc' ? null : checkbox({ name: `always-${at}`, label: t.always, isOn: one.isAlways })}</div>
${at > 0 && rowButton('↑', `${t.up}: ${one.name || one.key || t.attribute(at + 1)}`, `up-${at}`)}${rowButton('×', `${t.remove}: ${one.name || one.key || t.attribute(at + 1)}`, `remove-${at}`)}</div></fieldset>`
}

function rowButton(sign: string, label: string, value: string): Html {
  return html`<button type="submit" class="button plain" name="do" value="${value}" aria-label="${label}">${sign}</button>`
}

function look(frame: Frame, t: TemplateTexts, { draft, problems: { fields } }: DesignerProps): Html {
  return html`${field(frame, { name: 'back', label: t.back, type: 'color', value: draft.back, error: fields.back })}
${field(frame, { name: 'ink', label: t.ink, type: 'color', value: draft.ink, error: fields.ink })}`
}

function validity(frame: Frame, t: TemplateTexts, { draft, problems: { fields } }: DesignerProps): Html {
  const kinds = Object.entries(t.ends).filter(([value]) => value !== 'other' || draft.ends === 'other')
  const choices: readonly Choice[] = kinds.map(([value, text]) => ({ value, text }))
  return html`${select(frame, { name: 'ends', label: t.validity, value: draft.ends, choices })}
${field(frame, { name: 'years', label: t.years, value: draft.years, isOptional: true, lengthMax: 3, error: fields.years })}
${field(frame, { name: 'date', label: t.date, type: 'date', value: draft.date, isOptional: true, error: fields.date })}
${checkbox({ name: 'txCode', label: t.txCode, isOn: draft.hasTxCode })}`
}
