import { walletCredentials } from '../../contract/wallet/credentials.ts'
import { Fault } from '../../fault.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { ago } from '../../pages/moment.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, message } from '../../pages/parts.ts'
import type { Frame } from '../frame/screen.ts'
import type { Details } from './api-types.ts'
import { cardTexts } from './texts.ts'

type CardFrame = Frame<{ readonly id: string }>
type Checked = Pick<Details, 'standing'> & { readonly isChecked: boolean }

/** What became of a check that the person asked for: a key of the texts. */
const outcomes = ['now', 'away', 'soon'] as const
type Outcome = (typeof outcomes)[number]

/**
 * Returns what is known about a card, its status checked for this view if its issuer is of this deployment. The issuer
 * of any other card would learn when the person looks, so it is asked by time, and when the person wants it.
 */
export async function withFreshStatus(frame: CardFrame, about: Details): Promise<Details> {
  const { standing, display } = about
  if (standing === undefined || standing.status === 'revoked' || !isOwn(frame, display)) return about
  const checked = await check(frame)
  return typeof checked === 'string' ? about : { ...about, ...checked }
}

function isOwn({ origin }: CardFrame, { issuer }: Details['display']): boolean {
  return issuer.identifier.startsWith(`${origin}/`)
}

/** Checks the status because the person asks for it. @returns where the outcome is shown */
export async function checkAgain(frame: CardFrame): Promise<{ readonly to: string }> {
  const checked = await check(frame)
  const outcome: Outcome = typeof checked === 'string' ? checked : checked.isChecked ? 'now' : 'away'
  return { to: `/me/cards/${encodeURIComponent(frame.params.id)}?checked=${outcome}` }
}

async function check({ api, params }: CardFrame): Promise<Checked | 'away' | 'soon'> {
  try {
    return (await api.call(walletCredentials.checkStatus, { params: { id: params.id } })).data
  } catch (error) {
    if (error instanceof Fault && error.code === 'upstream.timeout') return 'away'
    if (error instanceof ApiRefusal && error.status === 429) return 'soon'
    throw error
  }
}

/**
 * Says when the status was last checked, and offers another check of a card that is not checked by opening its page;
 * nothing for one without a status.
 */
export function lastCheck(frame: CardFrame, { standing, receivedAt, display }: Details): Html | null {
  const t = cardTexts[frame.language]
  if (standing === undefined) return null
  const at = new Date(standing.checkedAt ?? receivedAt)
  const when = html`<span class="hint">${ago(at, frame.now, frame.language, t.checked)}</span>`
  if (standing.status === 'revoked' || isOwn(frame, display)) return html`<p>${when}</p>`
  const outcome = outcomes.find((one) => one === frame.query.checked)
  const said = outcome !== undefined && message(outcome === 'now' ? 'done' : 'warn', t.checks[outcome])
  const again = form(frame, `/me/cards/${frame.params.id}`, button(t.checkAgain, { name: 'check', value: '1' }))
  return html`${said}<div class="checked">${when}${again}</div>`
}
