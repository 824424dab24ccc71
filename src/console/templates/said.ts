import type { Frame } from '../frame/screen.ts'
import type { Said } from '../resource/designed-page.ts'
import { pointersOf } from './content/attribute-rows.ts'
import type { Draft } from './content/draft.ts'
import type { FurtherDraft } from './content/further-draft.ts'
import { type FurtherTexts, furtherTexts } from './further-texts.ts'
import { localeName } from './locales.ts'
import { type TemplateTexts, templateTexts } from './texts.ts'

/** Returns what a draft says, in words. */
export function saidIn(frame: Frame, draft: Draft): Said {
  const t = templateTexts[frame.language]
  const f = furtherTexts[frame.language]
  const { yes, no } = frame.texts
  return [
    ['name', t.name, draft.name],
    ['description', t.about, draft.description],
    ...attributesIn(frame, draft),
    ['order', t.attributes, draft.rows.map(({ name, key }) => name || key).join(', ')],
    ['back', t.back, draft.back],
    ['ink', t.ink, draft.ink],
    ['logo', t.logo, short(draft.logo)],
    ['logoText', t.logoText, draft.logoText],
    ['picture', t.picture, short(draft.picture)],
    ['locale', t.locale, draft.locale === '' ? '' : localeName(draft.locale, frame.language)],
    ...draft.languages.map(({ locale, name, about }) => {
      return [
        `language ${locale}`,
        localeName(locale, frame.language),
        [name, about].filter(Boolean).join(': '),
      ] as const
    }),
    ['from', t.from, momentText(t, t.begins, draft.from)],
    ['until', t.until, momentText(t, t.ends, draft.until)],
    ['signer', t.signer, [draft.signer, draft.keyType].filter(Boolean).join(', ')],
    ['copies', t.copies, draft.copies],
    ['refill', t.refillDays, [draft.refillDays, draft.refillTimes].filter(Boolean).join(' · ')],
    ['approved', t.approved, draft.isApproved ? yes : no],
    ['cardName', f.cardName, draft.cardName],
    ['cardAbout', f.cardAbout, draft.cardAbout],
    ['scheme', f.scheme, draft.further.scheme],
    ['attested', f.attested, attestationText(draft.further, yes, no)],
    ['source', f.source, sourceText(f, draft.further)],
    ['code', t.txCode, draft.hasTxCode ? [yes, draft.txMode, draft.txLength, draft.txText].join(', ') : no],
  ]
}

function attestationText({ isAttested, storage, authentication }: FurtherDraft, yes: string, no: string): string {
  return isAttested ? [yes, ...storage, ...authentication].join(', ') : no
}

function sourceText(f: FurtherTexts, { source, endpoint, provider, claims }: FurtherDraft): string {
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
