import type { Frame } from '../frame/screen.ts'
import type { Said } from '../resource/designed-page.ts'
import { textIn } from '../resource/fields.ts'
import { type AttributeRow, pointersOf } from './content/attribute-rows.ts'
import type { SourceDraft } from './content/source-draft.ts'
import type { Draft } from './draft.ts'
import { plainText, templateFields } from './fields.ts'
import { type FurtherTexts, furtherTexts } from './further-texts.ts'
import { localeName } from './locales.ts'
import { type TemplateTexts, templateTexts } from './texts.ts'

/** Returns what a draft says besides its fields of known kinds, in words. */
export function saidIn(frame: Frame, draft: Draft): Said {
  const [t, f] = [templateTexts[frame.language], furtherTexts[frame.language]]
  return [
    ...attributesIn(frame, draft),
    ['order', t.attributes, draft.rows.map(({ name, key }) => name || key).join(', ')],
    ['logo', t.logo, short(draft.logo)],
    ['picture', t.picture, short(draft.picture)],
    ...draft.languages.map(({ locale, name, about }) => {
      return [
        `language ${locale}`,
        localeName(locale, frame.language),
        [name, about].filter(Boolean).join(': '),
      ] as const
    }),
    ['from', t.from, momentText(t, t.begins, draft.from)],
    ['until', t.until, momentText(t, t.ends, draft.until)],
    ['source', f.source, sourceText(f, draft.source)],
  ]
}

/** Returns of what is fixed later: the format, and whether what is issued can be revoked. */
export function fixedTold({ language }: Frame, draft: Draft): string {
  const t = templateTexts[language]
  const told = [t.formats[draft.format], plainText(draft, 'revocable') !== '' && t.revocable]
  return told.filter(Boolean).join(' · ')
}

/** Returns what is set of the look besides the colour of the card. */
export function lookTold({ language, t: { colon } }: Frame, draft: Draft): string {
  const t = templateTexts[language]
  const ink = plainText(draft, 'ink')
  const isOwn = ink !== textIn(templateFields.blank.ink ?? [])
  const told = [isOwn && `${t.ink}${colon}${ink}`, draft.logo !== '' && t.logo, draft.picture !== '' && t.picture]
  return told.filter(Boolean).join(' · ')
}

/** Returns what is set of an attribute besides what is always seen of it, without its technical name. */
export function attributeTold({ language }: Frame, { languages }: Draft, attribute: AttributeRow): string {
  const t = templateTexts[language]
  const told = [
    attribute.isRequired && t.required,
    attribute.isOnCard && t.onCard,
    attribute.about !== '' && t.meaning,
    ...languages.map(({ locale }, at) => (attribute.names[at] ?? '') !== '' && localeName(locale, language)),
  ]
  return told.filter(Boolean).join(' · ')
}

/** Returns in which languages the texts of a draft are. */
export function languagesTold({ language }: Frame, draft: Draft): string {
  const own = plainText(draft, 'locale')
  const first = own === '' ? templateTexts[language].localeNone : localeName(own, language)
  return [first, ...draft.languages.map(({ locale }) => localeName(locale, language))].join(' · ')
}

/** Returns when credentials begin and end. */
export function validityTold({ language, t: { colon } }: Frame, { from, until }: Draft): string {
  const t = templateTexts[language]
  const [begins, ends] = [momentText(t, t.begins, from), momentText(t, t.ends, until)]
  return `${t.from}${colon}${begins} · ${t.until}${colon}${ends}`
}

/** Returns how credentials are signed and handed over, as far as it is set. */
export function signingTold({ language, t: { colon } }: Frame, draft: Draft): string {
  const t = templateTexts[language]
  const set = (name: string) => plainText(draft, name) !== ''
  const chosen = (all: Readonly<Record<string, string>>, name: string) => all[plainText(draft, name)] ?? ''
  const told = [
    chosen(t.signers, 'signer'),
    set('keyType') && chosen(t.keyTypes, 'keyType'),
    set('copies') && `${t.copies}${colon}${plainText(draft, 'copies')}`,
    set('approved') && t.approved,
    set('txCode') && t.txCode,
  ]
  return told.filter(Boolean).join(' · ')
}

function sourceText(f: FurtherTexts, { source, endpoint, provider, claims }: SourceDraft): string {
  const more =
    source === 'webhook' ? [endpoint] : source === 'provider' ? [provider, claims.split('\n').join('; ')] : []
  return [f.sources[source], ...more].filter(Boolean).join(' · ')
}

function attributesIn(frame: Frame, { rows, languages }: Draft): (readonly [string, string, string])[] {
  const t = templateTexts[frame.language]
  const pointers = pointersOf(rows)
  return rows.map((row, at) => {
    const kind =
      row.type === 'namespace'
        ? t.namespace
        : (Object.entries(t.types).find(([one]) => one === row.type)?.[1] ?? row.type)
    const names = languages.map(({ locale }, place) => (row.names[place] ? `${locale}: ${row.names[place]}` : ''))
    const ticks = [
      row.isRequired && t.required,
      row.isAlways && t.always,
      row.isEach && t.each,
      row.isOnCard && t.onCard,
      row.isInLabel && t.inLabel,
    ]
    const parts = [row.name, kind, row.type === 'array' && row.of, row.about, ...ticks, ...names]
    return [`attribute ${pointers[at]}`, row.key, parts.filter(Boolean).join(' · ')]
  })
}

function momentText(
  t: TemplateTexts,
  kinds: TemplateTexts['ends'],
  { kind, count, unit, date }: Draft['until'],
): string {
  if (kind === 'span') return `${count} ${t.units[unit]}`
  return kind === 'date' ? date : kinds[kind]
}

/** An address whole, a picture by its end: another picture ends differently. */
function short(uri: string): string {
  return uri.startsWith('data:') ? `…${uri.slice(-12)}` : uri
}
