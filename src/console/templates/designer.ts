import { type Choice, checkbox, choicesIn, hidden, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { credentialCard } from '../../pages/look/credential-card.ts'
import { card, facts } from '../../pages/parts.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { attributeFields } from './attribute-fields.ts'
import type { Draft } from './content/draft.ts'
import type { Sources } from './further-fields.ts'
import { languageFields, lookFields } from './look-fields.ts'
import { signingFields, validityFields } from './term-fields.ts'
import { type TemplateTexts, templateTexts } from './texts.ts'

/** Returns the fields of a template. @param fixedType The type of one that exists. */
export function designerCards(
  frame: Frame,
  draft: Draft,
  problems: Problems,
  { fixedType, sources }: { readonly fixedType: string | null; readonly sources: Sources },
): Html {
  const t = templateTexts[frame.language]
  return html`${card(basics(frame, t, draft, problems, fixedType))}
  ${card(attributeFields(frame, draft, problems), t.attributes)}
  ${card(lookFields(frame, draft, problems), t.card)}
  ${card(languageFields(frame, draft, problems), t.languages)}
  ${card(validityFields(frame, draft, problems), t.validity)}
  ${card(signingFields(frame, draft, problems, sources), t.signing)}`
}

/** The card as it will look, with the names of attributes in place of their values. */
export function cardOf({ me }: Pick<Frame, 'me'>, { cardName, name, rows, back, ink, logo, picture }: Draft): Html {
  const attributes = rows.filter(({ type }) => type !== 'namespace')
  const chosen = attributes.filter(({ isOnCard }) => isOnCard)
  const line = (chosen.length > 0 ? chosen : attributes.slice(0, 2)).slice(0, 3).map((one) => one.name || one.key)
  const look = { back, ink, logo, picture }
  return credentialCard({
    issuer: me.organisation.name,
    name: cardName || name || '…',
    line: line.join(' · '),
    ...look,
  })
}

function basics(frame: Frame, t: TemplateTexts, draft: Draft, { fields }: Problems, fixedType: string | null): Html {
  const isOpen = ['docType', 'code', 'format', 'revocable'].some((name) => fields[name] !== undefined)
  const about = {
    name: 'description',
    label: t.about,
    value: draft.description,
    isOptional: true,
    lengthMax: 1000,
    error: fields.description,
  }
  return html`${field(frame, { name: 'name', label: t.name, value: draft.name, lengthMax: 200, error: fields.name })}
  ${field(frame, about)}
  <details${isOpen && html` open`}>
    <summary>${t.details}</summary>
    <div class="stack">${fixedType === null ? open(frame, t, draft, fields) : fixed(frame, t, draft, fixedType)}</div>
  </details>`
}

function open(frame: Frame, t: TemplateTexts, draft: Draft, fields: Problems['fields']): Html {
  const formats: readonly Choice[] = choicesIn(t.formats)
  const name = { isOptional: true, isName: true } as const
  const format = { name: 'format', label: t.format, value: draft.format, choices: formats, error: fields.format }
  const docType = {
    name: 'docType',
    label: t.docType,
    hint: t.docTypeHint,
    value: draft.docType,
    error: fields.docType,
  }
  const code = { name: 'code', label: t.code, hint: t.codeHint, value: draft.code, lengthMax: 64, error: fields.code }
  return html`${select(frame, format)}
  ${field(frame, { ...docType, ...name })}
  ${field(frame, { ...code, ...name })}
  ${checkbox({ name: 'revocable', label: t.revocable, isOn: draft.isRevocable, error: fields.revocable })}`
}

/** What a template is for good: shown, and sent along unchanged. */
function fixed(frame: Frame, t: TemplateTexts, draft: Draft, type: string): Html {
  const { format, docType, code, isRevocable } = draft
  const members = { format, docType, code, revocable: isRevocable ? '1' : '' }
  const known = facts([
    [t.format, t.formats[format]],
    [t.code, code],
    [t.typeAddress, type],
    [t.revocable, isRevocable ? frame.texts.yes : frame.texts.no],
  ])
  const kept = Object.entries(members).map(([name, value]) => hidden(name, value))
  return html`<p class="hint">${t.fixed}</p>${kept}${known}`
}
