import type { Fields } from '../../../http/routes/endpoint.ts'
import { typed } from '../../../pages/once.ts'
import { type AttributeRow, emptyRow, inFormat, pointersOf, readRows, rowsOf } from './attribute-rows.ts'
import { blankFurther, type FurtherDraft, furtherOf, readFurther } from './further-draft.ts'
import { withMadeKeys } from './made-names.ts'
import type { Span, Template } from './template.ts'

/** A further language of a template. Without a name only its attributes have names in it. */
type LanguageRow = { readonly locale: string; readonly name: string; readonly about: string }

/** When credentials begin or end: `other` is what the form cannot show, and stays. */
export type Moment = {
  readonly kind: 'none' | 'span' | 'date' | 'other'
  readonly count: string
  readonly unit: 'days' | 'months' | 'years'
  readonly date: string
}

/** A template as it is being edited. */
export type Draft = {
  readonly name: string
  readonly description: string
  readonly code: string
  readonly format: 'sd-jwt-vc' | 'mdoc'
  readonly docType: string
  readonly isRevocable: boolean
  /** Language of the texts; `''`: not stated. */
  readonly locale: string
  readonly languages: readonly LanguageRow[]
  /** In wallets; `''`: as in the console. */
  readonly cardName: string
  readonly cardAbout: string
  readonly further: FurtherDraft
  readonly rows: readonly AttributeRow[]
  readonly back: string
  readonly ink: string
  /** An https address, or a `data:` URI. */
  readonly logo: string
  readonly logoText: string
  readonly picture: string
  readonly from: Moment
  readonly until: Moment
  readonly signer: string
  readonly keyType: string
  readonly copies: string
  readonly hasTxCode: boolean
  readonly txMode: string
  readonly txLength: string
  readonly txText: string
  readonly isApproved: boolean
  /** Days in which a wallet may fetch new copies, and how often; `''`: not at all, and as often as by default. */
  readonly refillDays: string
  readonly refillTimes: string
  /** Files that are no pictures, by their field, each with what is wrong. */
  readonly wrongFiles: Readonly<Partial<Record<'logoFile' | 'pictureFile', 'large' | 'kind'>>>
  /** Where the person continues: a row of attributes, or a language. */
  readonly at: { readonly row?: number; readonly language?: number }
}

const noMoment: Moment = { kind: 'none', count: '', unit: 'years', date: '' }
const LANGUAGES_MAX = 7

/** A draft in which nothing was typed. */
export const blank: Draft = {
  name: '',
  description: '',
  code: '',
  format: 'sd-jwt-vc',
  docType: '',
  isRevocable: true,
  wrongFiles: {},
  at: {},
  locale: '',
  languages: [],
  cardName: '',
  cardAbout: '',
  further: blankFurther,
  rows: [emptyRow],
  back: '#1f2d4a',
  ink: '#ffffff',
  logo: '',
  logoText: '',
  picture: '',
  from: noMoment,
  until: noMoment,
  signer: '',
  keyType: '',
  copies: '',
  isApproved: false,
  refillDays: '',
  refillTimes: '',
  hasTxCode: false,
  txMode: 'numeric',
  txLength: '6',
  txText: '',
}

/** Returns the draft of a template that exists. */
export function draftOf(template: Template): Draft {
  const { display = {}, txCode, signer, batchSize, refill, label = [] } = template
  const languages = languagesOf(template)
  const locales = languages.map(({ locale }) => locale)
  const rows = rowsOf(template, locales)
  const pointers = pointersOf(rows)
  const { name, description = '', code, format, docType = '', revocable: isRevocable } = template
  return {
    name,
    description,
    code,
    format,
    docType,
    isRevocable,
    wrongFiles: {},
    at: {},
    languages,
    locale: display.locale ?? '',
    cardName: display.name ?? '',
    cardAbout: display.description ?? '',
    further: furtherOf(template),
    rows: rows.map((one, at) => {
      const pointer = pointers[at] ?? ''
      return { ...one, isOnCard: display.cardLine?.includes(pointer) === true, isInLabel: label.includes(pointer) }
    }),
    back: display.backgroundColor ?? blank.back,
    ink: display.textColor ?? blank.ink,
    logo: display.logo?.uri ?? '',
    logoText: display.logo?.altText ?? '',
    picture: display.backgroundImage?.uri ?? '',
    from: momentOf(template.validFrom),
    until: momentOf(template.validUntil),
    signer: signer?.kind ?? '',
    keyType: signer?.keyType ?? '',
    copies: shown(batchSize),
    refillDays: shown(refill?.days),
    refillTimes: shown(refill?.times),
    hasTxCode: txCode !== undefined,
    txMode: txCode?.inputMode ?? 'numeric',
    txText: txCode?.description ?? '',
    txLength: String(txCode?.length ?? 6),
    isApproved: template.approvalRequired === true,
  }
}

function shown(count: number | undefined): string {
  return count === undefined ? '' : String(count)
}

/** The languages of the display, and those in which only attributes have names. */
function languagesOf({ display = {}, attributes }: Template): readonly LanguageRow[] {
  const stated = (display.translations ?? []).map(({ locale, name, description = '' }) => {
    return { locale, name, about: description }
  })
  const others = new Set(localesIn(attributes))
  for (const { locale } of stated) others.delete(locale)
  return [...stated, ...[...others].map((locale) => ({ locale, name: '', about: '' }))]
}

function localesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) =>
    // An attribute that is called `names` has a type.
    key === 'names' && typeof one === 'object' && one !== null && !('type' in one) ? Object.keys(one) : localesIn(one),
  )
}

function momentOf(moment: string | Span | undefined): Moment {
  if (moment === undefined) return noMoment
  if (typeof moment === 'string')
    return { ...noMoment, kind: moment.length === 10 ? 'date' : 'other', date: moment.slice(0, 10) }
  const spans = Object.entries(moment.future)
  const [[unit, count] = ['', 0]] = spans
  if (spans.length !== 1 || !isUnit(unit)) return { ...noMoment, kind: 'other' }
  return { ...noMoment, kind: 'span', count: String(count), unit }
}

function isUnit(unit: string): unit is Moment['unit'] {
  return unit === 'days' || unit === 'months' || unit === 'years'
}

/** Returns the draft that a form holds; files of the form are left to the caller. */
export function readDraft(fields: Fields): Draft {
  const text = (name: string) => typed(fields, name)
  const isOn = (name: string) => text(name) === '1'
  const languages = Array.from({ length: Math.min(Number(text('languages')) || 0, LANGUAGES_MAX) }, (_, at) => {
    return { locale: text(`locale-${at}`), name: text(`lname-${at}`), about: text(`labout-${at}`) }
  })
  const format = text('format') === 'mdoc' ? 'mdoc' : 'sd-jwt-vc'
  return {
    name: text('name'),
    description: text('description'),
    code: text('code'),
    docType: text('docType'),
    format,
    isRevocable: isOn('revocable'),
    locale: text('locale'),
    languages,
    wrongFiles: {},
    at: {},
    cardName: text('cardName'),
    cardAbout: text('cardAbout'),
    further: readFurther(fields),
    rows: inFormat(withMadeKeys(readRows(fields, languages.length)), format, text('docType')),
    back: text('back'),
    ink: text('ink'),
    logoText: text('logoText'),
    logo: isOn('logoOff') ? '' : text('logo'),
    picture: isOn('pictureOff') ? '' : text('picture'),
    from: readMoment(text, 'from'),
    until: readMoment(text, 'until'),
    signer: text('signer'),
    keyType: text('keyType'),
    copies: text('copies'),
    isApproved: isOn('approved'),
    refillDays: text('refillDays'),
    refillTimes: text('refillTimes'),
    hasTxCode: isOn('txCode'),
    txMode: text('txMode'),
    txLength: text('txLength'),
    txText: text('txText'),
  }
}

function readMoment(text: (name: string) => string, name: 'from' | 'until'): Moment {
  const [kind, unit] = [text(name), text(`${name}Unit`)]
  return {
    kind: kind === 'span' || kind === 'date' || kind === 'other' ? kind : 'none',
    count: text(`${name}Count`),
    date: text(`${name}Date`),
    unit: isUnit(unit) ? unit : 'years',
  }
}

/** Returns the languages that have a name for the card. */
export function statedLanguages({ languages }: Draft): readonly LanguageRow[] {
  return languages.filter(({ name }) => name !== '')
}
