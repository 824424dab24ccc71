import type { Html } from '../../pages/html.ts'
import { bothVersions } from '../frame/both-versions.ts'
import { type AskedDraft, askedLabel, type RequestDraft } from './draft.ts'
import { keepText } from './keep-choices.ts'
import type { RequestTexts } from './texts.ts'

type Part = 'name' | 'purpose' | 'keep' | 'which' | 'attributes'
const parts: readonly Part[] = ['name', 'purpose', 'keep', 'which', 'attributes']

/** Returns both versions of a request: what another person saved, and what was typed here. @param saved Where the saved version is shown. */
export function comparedRequests(t: RequestTexts, saved: string, theirs: RequestDraft, yours: RequestDraft): Html {
  return bothVersions(t, saved, {
    name: t.part,
    differing: parts.filter((one) => textOf(t, theirs, one) !== textOf(t, yours, one)),
    label: (one) => t[one],
    theirs: (one) => textOf(t, theirs, one),
    yours: (one) => textOf(t, yours, one),
  })
}

function textOf(t: RequestTexts, draft: RequestDraft, part: Part): string {
  if (part === 'keep') return keepText(draft.keep, t)
  if (part === 'which') return draft.credentials.length > 1 ? t.whiches[draft.which] : ''
  return part === 'attributes' ? draft.credentials.map((one) => askedIn(t, one)).join('; ') : draft[part]
}

/** A requested credential in one line: the requested values, the conditions, and the accepted issuers. */
function askedIn(t: RequestTexts, { name, type, rows, from, issuers, entities }: AskedDraft): string {
  const asked = rows.flatMap((row) => {
    const { isOn, condition, value, until } = row
    if (!isOn) return []
    const limits =
      condition === 'any' ? [] : [t.conditions[condition], value, ...(condition === 'between' ? [until] : [])]
    return [[askedLabel(row), ...limits].join(' ')]
  })
  const who = [
    t.sources[from],
    from === 'issuers' ? issuers.split(/\s+/).join(' ') : '',
    from === 'entities' ? `${entities.length}` : '',
  ]
  return `${name || type} (${[...asked, who.filter((one) => one !== '').join(' ')].join(', ')})`
}
