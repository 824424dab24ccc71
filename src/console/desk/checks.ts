import type { ReplyOf } from '../../contract/api-operation.ts'
import type { CheckView } from '../../contract/verification/checks.ts'
import type { presentationRequests } from '../../contract/verification/presentation-requests.ts'
import { memberOf } from '../../crypto/json.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { badge, type Tone } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { type CheckTexts, checkTexts } from './check-texts.ts'

/** Of a result: what is wrong, or worth to know. `message` is English. */
type Issue = ReplyOf<typeof presentationRequests.get>['credentials'][number]['issues'][number]

const tones: Readonly<Record<keyof CheckTexts['outcomes'], Tone>> = {
  passed: 'ok',
  warning: 'warn',
  failed: 'bad',
  not_asked: 'plain',
  not_checked: 'plain',
}

function isFailure(code: string, texts: CheckTexts): code is keyof CheckTexts['failures'] {
  return Object.hasOwn(texts.failures, code)
}

/** What an issue means, in words; null for one that has none of its own. */
function issueWords(code: string, t: CheckTexts): string | null {
  return memberOf(t.issues, code) ?? null
}

/** The sentences about a check: of each issue, or of the check where none of its issues has words of its own. */
function sentences({ code, outcome, issues }: CheckView, t: CheckTexts): readonly string[] {
  if (outcome === 'not_checked') return [t.notChecked]
  if (outcome !== 'failed' && outcome !== 'warning') return []
  const known = issues.flatMap((one) => issueWords(one, t) ?? [])
  return known.length === 0 && isFailure(code, t) ? [t.failures[code]] : [...new Set(known)]
}

/** Returns what is wrong with a credential in sentences: those of the checks that failed, each once. */
export function whatIsWrong(language: Frame['language'], checks: readonly CheckView[]): readonly string[] {
  const failed = checks.filter(({ outcome }) => outcome === 'failed')
  return [...new Set(failed.flatMap((one) => sentences(one, checkTexts[language])))]
}

/** Returns the sentence for an issue of a request; its message, which is English, for an unknown one. */
export function issueSentence(language: Frame['language'], { code, message }: Issue): Html {
  const known = issueWords(code, checkTexts[language])
  return known === null ? html`<span lang="en">${foreign(message, 500)}</span>` : html`${known}`
}

/**
 * Returns every check of a credential with its outcome and the reason; codes and messages below, for those who look
 * into it.
 */
export function checkList(frame: Frame, checks: readonly CheckView[], issues: readonly Issue[]): Html {
  const t = checkTexts[frame.language]
  const line = (one: CheckView) => {
    const name = isCheck(one.code, t) ? t.checked[one.code] : foreign(one.code)
    const ground = one.outcome === 'passed' && one.acceptedAs !== undefined ? [t.acceptedAs[one.acceptedAs]] : []
    const about = [...sentences(one, t), ...ground].map((text) => html`<p class="hint">${text}</p>`)
    const asOf =
      one.statusAsOf !== undefined && html`<p class="hint">${t.statusAsOf} ${when(frame, one.statusAsOf)}</p>`
    return html`<li>
      <div><span>${name}</span>${about}${asOf}</div>
      ${badge(t.outcomes[one.outcome], tones[one.outcome])}
    </li>`
  }
  const details = issues.map(
    ({ code, message }) => html`<li><code>${foreign(code)}</code> <span lang="en">${foreign(message, 500)}</span></li>`,
  )
  const technical = html`<div class="inside">
    <details><summary>${t.technical}</summary><ul class="list">${details}</ul></details>
  </div>`
  return html`<section class="panel">
    <header><h2>${t.checks}</h2></header>
    <ul class="checks">${checks.map(line)}</ul>
    ${details.length > 0 && technical}
  </section>`
}

function isCheck(code: string, t: CheckTexts): code is keyof CheckTexts['checked'] {
  return Object.hasOwn(t.checked, code)
}
