import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { choicesIn } from '../../pages/controls.ts'
import { byLanguage } from '../../pages/messages/catalogue.ts'
import { DEFAULT_OFFER_SCHEME, offerSchemes } from '../../protocols/openid4vci/credential-offer.ts'
import {
  choice,
  type Draft,
  type FormField,
  number,
  of,
  optional,
  text,
  textIn,
  tick,
  ticks,
} from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { furtherTexts } from './further-texts.ts'
import { localeChoices, localeName } from './locales.ts'
import { templateTexts } from './texts.ts'

const texts = byLanguage((language) => ({ ...furtherTexts[language], ...templateTexts[language] }))

const locale = choice(
  ({ language }) => [{ value: '', text: texts[language].localeNone }, ...localeChoices('', language)],
  '',
  (chosen) => chosen || null,
  ({ language }, value) => localeName(value, language),
)

/** Names of schemes are the same in every language. */
const schemes = offerSchemes.map((value) => ({ value: value === DEFAULT_OFFER_SCHEME ? '' : value, text: value }))

/** Ticked where the member is there. */
const presence: FormField = { ...tick(), fill: (value) => (value === null ? [] : ['1']) }

/** The fields of a template that are one member each. */
export const templateFields = resourceForm(
  credentialTemplates,
  texts,
  {
    name: text(),
    description: text(),
    docType: text({ isName: true }),
    // Made from the name where it is empty.
    code: optional(text({ isName: true })),
    revocable: tick({ isOn: true }),
    back: of('display-backgroundColor', colour('#1f2d4a')),
    ink: of('display-textColor', colour('#ffffff')),
    logoText: of('display-logo-altText', text()),
    locale: of('display-locale', locale),
    cardName: of('display-name', text()),
    cardAbout: of('display-description', text()),
    signer: of('signer-kind', oneOf('signers')),
    keyType: of('signer-keyType', oneOf('keyTypes')),
    copies: of('batchSize', number()),
    refillDays: of('refill-days', number()),
    refillTimes: of('refill-times', number()),
    approved: of('approvalRequired', tick({ off: null })),
    txCode: presence,
    txMode: of('txCode-inputMode', { ...oneOf('txModes'), blank: ['numeric'] }),
    txLength: of('txCode-length', { ...number(), blank: ['6'] }),
    txText: of('txCode-description', text()),
    scheme: of(
      'offerScheme',
      choice(() => schemes, ''),
    ),
    attested: of('keyAttestation', presence),
    storage: of('keyAttestation-keyStorage', levels()),
    authentication: of('keyAttestation-userAuthentication', levels()),
  },
  withoutUnused,
)

/** A colour, which a card always has. */
function colour(blank: string): FormField {
  const one = text({ type: 'color' })
  return {
    ...one,
    blank: [blank],
    fill: (value) => [value === null ? blank : String(value)],
    draw: (frame, labelled, now) => one.draw(frame, { ...labelled, isOptional: false }, now),
  }
}

function oneOf(key: 'signers' | 'keyTypes' | 'txModes'): FormField {
  return choice(({ language }) => choicesIn(texts[language][key]), '')
}

function levels(): FormField {
  const one = ticks(({ language }) => choicesIn(texts[language].levels))
  return { ...one, give: (now) => (now.length === 0 ? null : [...now]) }
}

/** What belongs to a choice that was not made is not sent. */
function withoutUnused({ txCode, keyAttestation, 'signer-kind': signer, ...members }: JsonObject): JsonObject {
  const below = (name: string) => Object.entries(members).filter(([member]) => member.startsWith(`${name}-`))
  const unused = [
    ...(txCode === true ? [] : below('txCode')),
    ...(keyAttestation === true ? [] : below('keyAttestation')),
    ...(signer === null ? below('signer') : []),
  ]
  const isBare = (name: string) => below(name).every(([, value]) => value === null)
  return {
    ...members,
    ...Object.fromEntries(unused.map(([member]) => [member, null])),
    'signer-kind': signer ?? null,
    ...(txCode === true && isBare('txCode') && { txCode: {} }),
    ...(keyAttestation === true && isBare('keyAttestation') && { keyAttestation: {} }),
  }
}

/** Returns the text of one of the fields. */
export function plainText({ plain }: { readonly plain: Draft }, name: string): string {
  return textIn(plain[name] ?? [])
}
