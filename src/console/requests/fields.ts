import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import { CredentialInTemplate } from '../../contract/verification/requested-credentials.ts'
import { type Json, memberOf } from '../../crypto/json.ts'
import { type Choice, choicesIn } from '../../pages/controls.ts'
import { byLanguage } from '../../pages/messages/catalogue.ts'
import { requestSchemes } from '../../protocols/openid4vp/request-link.ts'
import type { Frame } from '../frame/screen.ts'
import {
  area,
  choice,
  type Draft,
  type FormField,
  linesIn,
  numberIn,
  of,
  optional,
  text,
  textIn,
  tick,
} from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { claimSetsIn, claimSetsText } from './combinations.ts'
import { requestTexts } from './texts.ts'
import { verifierTexts } from './verifier-texts.ts'

const texts = byLanguage((language) => ({ ...requestTexts[language], ...verifierTexts[language] }))

/** May be empty, which is no less of a text. */
const description: FormField = { ...optional(text()), give: textIn }

/** Another long text ends differently. */
const attestation: FormField = {
  ...area({ rows: 3, isCode: true, fill: String, give: (content) => content || null }),
  words: (_, now) => endingOf(textIn(now)),
}

/** Names of schemes are the same in every language. */
const schemes = requestSchemes.map((value, at) => ({ value: at === 0 ? '' : value, text: value }))

/** The fields of a request besides its credentials, their combinations, and attestations. */
export const requestFields = resourceForm(presentationTemplates, texts, {
  name: text(),
  about: of('description', description),
  purpose: of('verifierConfig-purpose', text()),
  keep: of('retentionSeconds', seconds('keeps', 'keepOther')),
  expires: of('verifierConfig-expiresInSeconds', seconds('times', 'timeOther')),
  redirect: of('verifierConfig-redirectUri', text({ isName: true })),
  mode: of('verifierConfig-responseMode', oneOf('modes')),
  scheme: of(
    'verifierConfig-scheme',
    choice(() => schemes, ''),
  ),
  signer: of('verifierConfig-signer', oneOf('signers')),
  keyType: of('verifierConfig-keyType', oneOf('keyTypes')),
  prefix: of('verifierConfig-clientIdPrefix', oneOf('prefixes')),
  clientId: of('verifierConfig-clientId', text({ isName: true })),
  attestation: of('verifierConfig-verifierAttestation', attestation),
})

function oneOf(key: 'modes' | 'signers' | 'keyTypes' | 'prefixes'): FormField {
  return choice(({ language }) => choicesIn(texts[language][key]), '')
}

/** A time out of some; it may be any. */
function seconds(key: 'keeps' | 'times', other: 'keepOther' | 'timeOther'): FormField {
  return choice(
    ({ language }) => choicesIn(texts[language][key]).toSorted(byNumber),
    '',
    (chosen) => (chosen === '' ? null : numberIn(chosen)),
    ({ language }, value) => texts[language][other](value),
  )
}

function byNumber(one: Choice, other: Choice): number {
  return Number(one.value) - Number(other.value)
}

const askedTexts = byLanguage(askedTextsOf)

function askedTextsOf(language: Frame['language']) {
  const [t, v] = [requestTexts[language], verifierTexts[language]]
  const asked = { cabout: v.credentialAbout, optional: t.isOptional, multiple: t.isMultiple }
  return { ...v, ...asked, inquery: v.inQuery, inqueryHint: v.inQueryHint }
}

/** Combinations of attributes, one a line. */
const claimSets: FormField = {
  ...area({
    rows: 2,
    isCode: true,
    fill: claimSetsText,
    give: (content) => (content === '' ? null : (claimSetsIn(content) as Json)),
  }),
  words: (_, now) => textIn(now).split('\n').join(' | '),
}

/** Authority key identifiers: an authority a line, its values with spaces between them. */
const authorities = area({
  rows: 2,
  isCode: true,
  fill: (value) => {
    // The API accepted it; the only type is `aki`.
    const all = value as unknown as readonly { readonly values: readonly string[] }[]
    return all.map(({ values }) => values.join(' ')).join('\n')
  },
  give: (content) => {
    const keys = linesIn(content).map(([, line]) => ({ type: 'aki', values: line.split(/\s+/) }))
    return keys.length === 0 ? null : keys
  },
})

/** The fields of a credential of a request that are one member each. */
export const askedFields = resourceForm(
  { create: { ...presentationTemplates.create, body: CredentialInTemplate } },
  askedTexts,
  {
    inquery: of('trustedIssuersInQuery', tick({ off: null })),
    optional: tick({ off: null }),
    multiple: tick({ off: null }),
    cabout: of('description', text()),
    claims: of('claimSets', claimSets),
    authorities: of('trustedAuthorities', authorities),
    unbound: of('requireCryptographicHolderBinding', tick({ on: false, off: null })),
    strict: of('strictValidity', tick({ off: null })),
  },
)

/** Members of a credential for which the form has a field, or the rows of attributes. */
export const askedMembers: readonly string[] = Object.keys(CredentialInTemplate.properties)

/** Returns the end of a long text: another one ends differently. */
export function endingOf(content: string): string {
  return content.length > 60 ? `…${content.slice(-24)}` : content
}

/** Returns how long a result is kept, in words. */
export function keepText({ language }: Pick<Frame, 'language'>, { keep }: Draft): string {
  const { keeps, keepOther } = requestTexts[language]
  const chosen = textIn(keep ?? [])
  return memberOf(keeps, chosen) ?? keepOther(chosen)
}
