import type { Frame } from '../frame/screen.ts'
import type { Said } from '../resource/designed-page.ts'
import type { AskedRow } from './asked-attributes.ts'
import { type AskedDraft, askedNames } from './asked-credential.ts'
import { askedLabel, type RequestDraft } from './draft.ts'
import { askedFields, endingOf } from './fields.ts'
import { type RequestTexts, requestTexts } from './texts.ts'
import { type VerifierTexts, verifierTexts } from './verifier-texts.ts'

type Words = { readonly t: RequestTexts; readonly v: VerifierTexts }

/** Returns what a draft says besides its fields of known kinds, by the labels of the form. */
export function requestSaid(frame: Frame, draft: RequestDraft): Said {
  const [t, v] = [requestTexts[frame.language], verifierTexts[frame.language]]
  const { infos, credentials, which } = draft
  const pairs: readonly (readonly [label: string, text: string])[] = [
    [t.which, credentials.length > 1 ? t.whiches[which] : ''],
    [v.sets, which === 'sets' ? draft.sets : ''],
    [v.infos, infos.map((one) => [one.format, endingOf(one.data), ...one.credentials].join(' ')).join('; ')],
    [t.attributes, credentials.map((one) => askedIn(frame, one)).join('; ')],
  ]
  return pairs.map(([label, text]) => [label, label, text])
}

/**
 * A requested credential in one line: the requested values, the conditions, the accepted issuers, and what else is said
 * of it.
 */
function askedIn(frame: Frame, one: AskedDraft): string {
  const [t, v] = [requestTexts[frame.language], verifierTexts[frame.language]]
  const { name, type, rows, from, issuers, entities, plain } = one
  const by = askedNames(one)
  const who = [t.sources[from], by.issuers && issuers.split(/\s+/).join(' '), by.entities && `${entities.length}`]
  const set = askedFields.differing(frame, askedFields.blank, plain)
  const more = set.map(({ label, yours }) => (yours === frame.texts.yes ? label : `${label} ${yours}`))
  const asked = rows.filter(({ isOn }) => isOn).map((row) => rowText({ t, v }, row))
  return `${name || type} (${[...asked, who.filter(Boolean).join(' '), ...more].filter(Boolean).join(', ')})`
}

function rowText({ t, v }: Words, row: AskedRow): string {
  const { condition, value, until, isRetained } = row
  const limits = condition === 'any' ? [] : [t.conditions[condition], value, condition === 'between' && until]
  return [askedLabel(row), ...limits, isRetained && `(${v.retain})`].filter(Boolean).join(' ')
}
