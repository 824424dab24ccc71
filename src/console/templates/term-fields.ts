import { checkbox, choicesIn, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import type { Draft } from './content/draft.ts'
import { furtherFields, type Sources } from './further-fields.ts'
import { templateTexts } from './texts.ts'

/** Returns the fields for when credentials begin and end. */
export function validityFields(frame: Frame, draft: Draft, problems: Problems): Html {
  return html`${momentField(frame, draft, problems, 'from')}${momentField(frame, draft, problems, 'until')}`
}

/** What is not chosen is hidden by the style sheet, so that it needs no script. */
function momentField(frame: Frame, draft: Draft, { fields }: Problems, name: 'from' | 'until'): Html {
  const t = templateTexts[frame.language]
  const now = draft[name]
  const all = choicesIn(name === 'from' ? t.begins : t.ends)
  const kinds = all.filter(({ value }) => value !== 'other' || now.kind === 'other')
  const count = field(frame, {
    name: `${name}Count`,
    label: t.count,
    value: now.count,
    isOptional: true,
    lengthMax: 5,
    error: fields[`${name}Count`],
  })
  const unit = select(frame, { name: `${name}Unit`, label: t.unit, value: now.unit, choices: choicesIn(t.units) })
  const date = field(frame, {
    name: `${name}Date`,
    label: t.date,
    type: 'date',
    value: now.date,
    isOptional: true,
    error: fields[`${name}Date`],
  })
  return html`<div class="moment">
    ${select(frame, { name, label: t[name], value: now.kind, choices: kinds, error: fields[name] })}
    <div class="pair span">${count}${unit}</div>
    <div class="date">${date}</div>
  </div>`
}

/** Returns the fields for signing, copies, the code, and approval. @param sources See {@link furtherFields}. */
export function signingFields(frame: Frame, draft: Draft, problems: Problems, sources: Sources): Html {
  const { fields } = problems
  const t = templateTexts[frame.language]
  const isMdoc = draft.format === 'mdoc'
  const signers = choicesIn(t.signers).filter(({ value }) => !isMdoc || value !== 'did:web' || draft.signer === value)
  const keys = choicesIn(t.keyTypes).filter(({ value }) => !isMdoc || value !== 'Ed25519' || draft.keyType === value)
  const copies = field(frame, {
    name: 'copies',
    label: t.copies,
    hint: t.copiesHint,
    value: draft.copies,
    isOptional: true,
    lengthMax: 2,
    error: fields.copies,
  })
  const days = field(frame, {
    name: 'refillDays',
    label: t.refillDays,
    hint: t.refillHint,
    value: draft.refillDays,
    isOptional: true,
    lengthMax: 2,
    error: fields.refillDays,
  })
  const times = field(frame, {
    name: 'refillTimes',
    label: t.refillTimes,
    hint: t.refillTimesHint,
    value: draft.refillTimes,
    isOptional: true,
    lengthMax: 3,
    error: fields.refillTimes,
  })
  const signer = { name: 'signer', label: t.signer, value: draft.signer, choices: signers, error: fields.signer }
  const keyType = { name: 'keyType', label: t.keyType, value: draft.keyType, choices: keys, error: fields.keyType }
  return html`<div class="pair">${select(frame, signer)}${select(frame, keyType)}</div>
  ${copies}
  <div class="pair">${days}${times}</div>
  ${checkbox({ name: 'approved', label: t.approved, isOn: draft.isApproved, error: fields.approved })}
  <div class="code">
    ${checkbox({ name: 'txCode', label: t.txCode, isOn: draft.hasTxCode })}
    ${codeFields(frame, draft, fields)}
  </div>
  ${furtherFields(frame, draft.further, problems, sources)}`
}

function codeFields(frame: Frame, draft: Draft, fields: Problems['fields']): Html {
  const t = templateTexts[frame.language]
  const mode = select(frame, {
    name: 'txMode',
    label: t.txMode,
    value: draft.txMode,
    choices: choicesIn(t.txModes),
    error: fields.txMode,
  })
  const length = field(frame, {
    name: 'txLength',
    label: t.txLength,
    value: draft.txLength,
    isOptional: true,
    lengthMax: 2,
    error: fields.txLength,
  })
  const text = field(frame, {
    name: 'txText',
    label: t.txText,
    hint: t.txTextHint,
    value: draft.txText,
    isOptional: true,
    lengthMax: 300,
    error: fields.txText,
  })
  return html`<div class="code-parts"><div class="pair">${mode}${length}</div>${text}</div>`
}
