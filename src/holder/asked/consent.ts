import { claimName } from '../../pages/claims/claims.ts'
import { hidden } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, message } from '../../pages/parts.ts'
import { verifierName } from '../cards/verifier-name.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import { about } from './about.ts'
import { type AskedMeta, type Chosen, chosenOf, type Instead, type Opened, writeInstead } from './choice.ts'
import { nothingFits } from './nothing-fits.ts'
import { otherCards } from './other-cards.ts'
import { disclosedRows } from './rows.ts'
import { type AskedTexts, askedTexts } from './texts.ts'
import { leavingOf, shownTransactions, unshownCount } from './what-leaves.ts'

/** What the person saw before, where it has changed since; empty where that is not known. */
type Seen = readonly string[] | null

/** Names of a page that come back with its form, to say what changed: not more than a form can carry. */
const SEEN_CHARS = 8000

/**
 * Returns the page on which a person decides: who, why, how long; what leaves with its values, what stays; from which
 * card.
 */
export async function consentPage(frame: Frame, opened: Opened, wanted: Instead, seen: Seen): Promise<Screen> {
  const { data, meta, etag } = opened
  const t = askedTexts[frame.language]
  const chosen = chosenOf(meta, wanted)
  const { instead } = chosen
  const who = verifierName(meta.verifier)
  const unshown = unshownCount(chosen)
  const count = chosen.shown.flatMap(({ disclosed }) => disclosedRows(disclosed)).length + unshown
  const names = disclosedNames(meta, chosen)
  const changed = seen !== null && changes(t, seen, names)
  const refusal = seen !== null && { hasErrors: true, status: 412 }
  if (chosen.shown.length === 0) return { ...(await nothingFits(frame, t, opened, changed)), ...refusal }
  const parts = chosen.shown.map((one) => leavingOf(frame, t, meta, one, otherCards(frame, t, opened, one, instead)))
  const share =
    unshown === 0 &&
    // It looks as the refusal does: the person chooses, not the page.
    button(meta.verifier.authenticated ? t.share(count, who) : t.shareAnyway, {
      name: 'answer',
      value: 'answered',
    })
  const content = html`${hidden('etag', etag)}${hidden('use', writeInstead(instead))}${hidden('seen', seenField(names))}
  ${parts}${shownTransactions(frame, t, meta)}${unshown > 0 && message('bad', t.tooMuch(unshown))}
  ${meta.needsConfirmation === true && html`<p class="hint">${t.confirmFirst}</p>`}
  <div class="buttons decide">${share}${button(t.refuse, { name: 'answer', value: 'rejected' })}</div>`
  const main = html`${changed}${about(frame, t, meta)}${form(frame, `/me/asked/${data.id}`, content)}`
  return { title: t.title(who, count), main, ...refusal }
}

/** Returns the names of what would be shared, with the name of the card: by them a person sees what changed. */
function disclosedNames({ credentials = {} }: AskedMeta, { shown }: Chosen): string[] {
  return shown.flatMap(({ credentialId, disclosed }) => {
    const look = credentials[credentialId]?.display
    return disclosedRows(disclosed).map(({ path }) =>
      [look?.name, claimName(look?.labels ?? [], path)].filter(Boolean).join(' · '),
    )
  })
}

/** Empty where they are too many for a form. */
function seenField(names: readonly string[]): string {
  const text = JSON.stringify(names)
  return text.length > SEEN_CHARS ? '' : text
}

function changes(t: AskedTexts, seen: readonly string[], names: readonly string[]): Html {
  const [before, now] = [new Set(seen), new Set(names)]
  const isKnown = before.size > 0 && seenField(names) !== ''
  const newly = isKnown ? [...now.difference(before)] : []
  const gone = isKnown ? [...before.difference(now)] : []
  const list = html`${newly.length > 0 && html`<p>${t.newly(newly.join(', '))}</p>`}
  ${gone.length > 0 && html`<p>${t.gone(gone.join(', '))}</p>`}`
  return message('bad', t.changed, list)
}
