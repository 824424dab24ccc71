import type { Language } from '../../contract/languages.ts'
import { type Html, html } from '../../pages/html.ts'
import { duration } from '../../pages/moment.ts'
import { moment } from '../../pages/moment-text.ts'
import { message } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { Verifier } from '../cards/api-types.ts'
import { verifierName } from '../cards/verifier-name.ts'
import type { Frame } from '../frame/screen.ts'
import { whyKnown } from '../trust/why-known.ts'
import type { AskedMeta } from './choice.ts'
import type { AskedTexts } from './texts.ts'

/**
 * The verifier, its purpose, and how long it keeps the values.
 *
 * @param isEnded The verifier is not named in the title, and nothing expires any more.
 */
export function about(
  { language, params, me }: Pick<Frame, 'language' | 'params' | 'me'>,
  t: AskedTexts,
  meta: AskedMeta,
  isEnded = false,
): Html {
  const { verifier, purpose, retentionSeconds, expiresAt } = meta
  const [trust, tone] = trustOf(verifier)
  const kind = trust === 'unproved' ? 'unknown' : trust
  const calls = verifier.statedName
  const isOther = calls !== undefined && calls !== verifierName(verifier)
  const [letter = '–'] = verifierName(verifier)
  const logo =
    meta.hasLogo === true
      ? html`<img class="logo" src="/me/asked/${params.id ?? ''}/logo" alt="" width="48" height="48">`
      : html`<i class="logo" aria-hidden="true">${letter.toLocaleUpperCase()}</i>`
  const name = isEnded && verifierName(verifier) !== verifier.responseHost && html`<b>${verifierName(verifier)}</b> `
  const kept = retentionSeconds === undefined ? t.keptUnknown : t.kept(long(retentionSeconds, language))
  const end = moment(expiresAt, language, me.organisation.timeZone)
  return html`<div class="who">
    ${logo}
    <p>${name}${badge(t.trust[trust], tone)} <span>${verifier.responseHost}</span></p>
    ${isOther && html`<p>${t.calls(foreignText(calls, 100) ?? '')}</p>`}
  </div>
  ${verifier.authenticated ? whyKnown(language, kind, verifier.basis) : message('warn', t.unproved)}
  <section class="stack tight">
    <h2>${t.why}</h2>
    <p>${purpose === undefined ? t.noWhy : t.quoted(foreignText(purpose, 600) ?? '')}</p>
    <p class="hint">${kept} ${!isEnded && html`${t.expires} ${end}.`}</p>
  </section>`
}

function trustOf({
  own,
  trusted,
  authenticated,
}: Verifier): readonly [keyof AskedTexts['trust'], 'ok' | 'warn' | 'bad'] {
  if (!authenticated) return ['unproved', 'bad']
  if (own === true) return ['own', 'ok']
  return trusted ? ['known', 'ok'] : ['unknown', 'warn']
}

function long(seconds: number, language: Language): string {
  const days = Math.round(seconds / 86_400)
  if (days < 1) return duration(seconds, language)
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days)
}
