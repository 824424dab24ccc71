import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import type { Draft as Typed } from '../resource/fields.ts'
import { type AttributeRow, emptyRow, inFormat, pointersOf, readRows, rowsOf } from './content/attribute-rows.ts'
import { withMadeKeys, withMadeNamespaces } from './content/made-names.ts'
import { blankSource, readSource, type SourceDraft, sourceOf } from './content/source-draft.ts'
import type { Span, Template } from './content/template.ts'
import { templateFields } from './fields.ts'

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
  /** See {@link templateFields}. */
  readonly plain: Typed
  readonly format: 'sd-jwt-vc' | 'mdoc'
  readonly languages: readonly LanguageRow[]
  readonly rows: readonly AttributeRow[]
  /** An https address, or a `data:` URI. */
  readonly logo: string
  readonly picture: string
  readonly from: Moment
  readonly until: Moment
  readonly source: SourceDraft
  /** Files that are no pictures, by their field, each with what is wrong. */
  readonly wrongFiles: Readonly<Partial<Record<'logoFile' | 'pictureFile', 'large' | 'kind'>>>
  /** Where the person continues: a row of attributes, or a language. */
  readonly at: { readonly row?: number; readonly language?: number }
}

const noMoment: Moment = { kind: 'none', count: '', unit: 'years', date: '' }
const LANGUAGES_MAX = 7

/** A draft in which nothing was typed. */
export const blank: Draft = {
  plain: templateFields.blank,
  format: 'sd-jwt-vc',
  languages: [],
  rows: [emptyRow],
  logo: '',
  picture: '',
  from: noMoment,
  until: noMoment,
  source: blankSource,
  wrongFiles: {},
  at: {},
}

/** Returns the draft of a template that exists. */
export function draftOf(template: Template): Draft {
  const { display = {}, txCode, format, label = [] } = template
  const languages = languagesOf(template)
  const locales = languages.map(({ locale }) => locale)
  const rows = rowsOf(template, locales)
  const pointers = pointersOf(rows)
  const { txMode = [], txLength = [] } = blank.plain
  return {
    ...blank,
    // Those of a code that is asked for from now on.
    plain: { ...templateFields.saved(template), ...(txCode === undefined && { txMode, txLength }) },
    format,
    languages,
    source: sourceOf(template),
    rows: rows.map((one, at) => {
      const pointer = pointers[at] ?? ''
      return { ...one, isOnCard: display.cardLine?.includes(pointer) === true, isInLabel: label.includes(pointer) }
    }),
    logo: display.logo?.uri ?? '',
    picture: display.backgroundImage?.uri ?? '',
    from: momentOf(template.validFrom),
    until: momentOf(template.validUntil),
  }
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
    ...blank,
    plain: templateFields.read(fields),
    format,
    languages,
    source: readSource(fields),
    rows: withMadeNamespaces(inFormat(withMadeKeys(readRows(fields, languages.length)), format), text('docType')),
    logo: isOn('logoOff') ? '' : text('logo'),
    picture: isOn('pictureOff') ? '' : text('picture'),
    from: readMoment(text, 'from'),
    until: readMoment(text, 'until'),
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
