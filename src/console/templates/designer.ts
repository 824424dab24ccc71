import { choicesIn, hidden, select } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { credentialCard } from '../../pages/look/credential-card.ts'
import { card, facts, message } from '../../pages/parts.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { closedFields } from '../resource/designed-page.ts'
import { attributeFields } from './attribute-fields.ts'
import { LINE_VALUES } from './card-look.ts'
import type { Draft } from './draft.ts'
import { plainText, templateFields } from './fields.ts'
import type { Sources } from './further-fields.ts'
import { languageFields, lookFields } from './look-fields.ts'
import { fixedTold, languagesTold, signingTold, validityTold } from './said.ts'
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
  const isAtLanguage = draft.at.language !== undefined
  const group = (title: string, told: string, fields: Html, isNeeded = false) =>
    card(closedFields(html`<b>${title}</b>`, told, fields, problems, isNeeded))
  return html`${card(basics(frame, t, draft, problems, fixedType))}
  ${card(attributeFields(frame, draft, problems), t.attributes)}
  ${card(lookFields(frame, draft, problems), t.card)}
  ${group(t.languages, languagesTold(frame, draft), languageFields(frame, draft, problems), isAtLanguage)}
  ${group(t.validity, validityTold(frame, draft), validityFields(frame, draft, problems))}
  ${group(t.signing, signingTold(frame, draft), signingFields(frame, draft, problems, sources))}`
}

/** The card as it will look, with the names of attributes in place of their values. */
export function cardOf({ me }: Pick<Frame, 'me'>, draft: Draft): Html {
  const { rows } = draft
  const attributes = rows.filter(({ type }) => type !== 'namespace')
  const chosen = attributes.filter(({ isOnCard }) => isOnCard)
  const others = attributes.filter(({ isOnCard }) => !isOnCard)
  const line = [...chosen, ...others].slice(0, LINE_VALUES).map((one) => one.name || one.key)
  return credentialCard({
    issuer: me.organisation.name,
    name: plainText(draft, 'cardName') || plainText(draft, 'name') || '…',
    line: line.join(' · '),
    ...lookIn(draft),
  })
}

/** Says that lists would not tell cards of a template apart; null: an attribute names them, or none is there yet. */
export function labelWarning({ language }: Pick<Frame, 'language'>, { rows }: Draft): Html | null {
  const t = templateTexts[language]
  const named = rows.filter(({ type, key, name }) => type !== 'namespace' && key + name !== '')
  return named.length === 0 || named.some(({ isInLabel }) => isInLabel) ? null : message('warn', t.noLabel(t.inLabel))
}

/** Returns colours and pictures of the card. */
export function lookIn(draft: Draft) {
  const { logo, picture } = draft
  return { back: plainText(draft, 'back'), ink: plainText(draft, 'ink'), logo, picture }
}

function basics(frame: Frame, t: TemplateTexts, draft: Draft, problems: Problems, fixedType: string | null): Html {
  const one = (name: string) => templateFields.field(frame, draft.plain, problems, name)
  const { format: error } = problems.fields
  const format = { name: 'format', label: t.format, value: draft.format, choices: choicesIn(t.formats), error }
  const details =
    fixedType === null
      ? html`${select(frame, format)}${one('docType')}${one('code')}${one('revocable')}`
      : fixed(frame, t, draft, fixedType)
  return html`${one('name')}${one('description')}
  ${closedFields(t.details, fixedTold(frame, draft), details, problems)}`
}

/** What a template is for good: shown, and sent along unchanged. */
function fixed(frame: Frame, t: TemplateTexts, draft: Draft, type: string): Html {
  const { format } = draft
  const [docType, code, revocable] = ['docType', 'code', 'revocable'].map((name) => plainText(draft, name))
  const members = { format, docType, code, revocable }
  const known = facts([
    [t.format, t.formats[format]],
    [t.code, code ?? ''],
    [t.typeAddress, type],
    [t.revocable, revocable === '' ? frame.texts.no : frame.texts.yes],
  ])
  const kept = Object.entries(members).map(([name, value]) => hidden(name, value ?? ''))
  return html`<p class="hint">${t.fixed}</p>${kept}${known}`
}
