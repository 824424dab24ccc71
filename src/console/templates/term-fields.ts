import { choicesIn, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import type { Draft } from './draft.ts'
import { plainText, templateFields } from './fields.ts'
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
  const one = (name: string) => templateFields.field(frame, draft.plain, problems, name)
  return html`<div class="pair">
    ${signerField(frame, draft, problems, 'signer', 'did:web')}
    ${signerField(frame, draft, problems, 'keyType', 'Ed25519')}
  </div>
  ${one('copies')}
  <div class="pair">${one('refillDays')}${one('refillTimes')}</div>
  ${one('approved')}
  <div class="code">
    ${one('txCode')}
    <div class="code-parts"><div class="pair">${one('txMode')}${one('txLength')}</div>${one('txText')}</div>
  </div>
  ${furtherFields(frame, draft, problems, sources)}`
}

/** What signs no mdoc is not offered for one. */
function signerField(
  frame: Frame,
  draft: Draft,
  { fields }: Problems,
  name: 'signer' | 'keyType',
  notOfMdoc: string,
): Html {
  const t = templateTexts[frame.language]
  const value = plainText(draft, name)
  const fits = (one: string) => draft.format !== 'mdoc' || one !== notOfMdoc || one === value
  const choices = choicesIn(name === 'signer' ? t.signers : t.keyTypes).filter((one) => fits(one.value))
  return select(frame, { name, label: t[name], value, choices, error: fields[name] })
}
