import type { ReplyOf } from '../../contract/api-operation.ts'
import { batches, TABLE_ROWS_MAX } from '../../contract/issuance/batches.ts'
import { REMINDERS_MAX, reminders } from '../../contract/issuance/reminders.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { buttonLink } from '../../pages/parts.ts'
import { credentialTexts } from '../credentials/texts.ts'
import { confirmScreen } from '../frame/confirm.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { batchTexts } from './texts.ts'

const LIST = '/console/batches'

/** As many requests remind everybody of the largest batch. */
const ROUNDS_MAX = TABLE_ROWS_MAX / REMINDERS_MAX

/** The offers of a batch that nobody has taken, and those of them of which a reminder is due. */
type OpenOffers = ReplyOf<typeof reminders.countBatch>

/** Counts the open offers of a batch. */
export async function openOffersOf({ api }: Frame, id: string): Promise<OpenOffers> {
  return (await api.call(reminders.countBatch, { params: { id } })).data
}

/**
 * Returns how many have not taken theirs, and the button that reminds them.
 *
 * @param isMailed Offers of the batch were mailed.
 */
export function remindPanel(frame: Frame, id: string, { open, due }: OpenOffers, isMailed: boolean): Html | null {
  if (open === 0) return null
  const t = batchTexts[frame.language]
  const write = (value: number) => figure(value, frame.language)
  const mayRemind = may(frame, 'issuance:write')
  const button = html`<div class="actions">${buttonLink(t.remind(write(due), due), `${LIST}/${id}/remind`)}</div>`
  return html`<div class="stack">
    <p>${t.notTaken(write(open), open)}</p>
    ${mayRemind && due > 0 && button}
    ${mayRemind && due === 0 && isMailed && html`<p class="hint">${t.remindLater}</p>`}
  </div>`
}

/** Reminding all people of a batch who have not taken theirs. */
export const remindScreen = confirmScreen({
  place: 'batches',
  path: `${LIST}/{id}/remind`,
  summary: 'Asks whether to remind the people of a batch who have not taken theirs, and does it.',
  ask: async (frame) => {
    const t = batchTexts[frame.language]
    const { id } = frame.params
    const [{ data }, { due }] = await Promise.all([
      frame.api.call(batches.get, { params: { id } }),
      openOffersOf(frame, id),
    ])
    const here = `${LIST}/${id}`
    const { button } = credentialTexts[frame.language].changes.remind
    const crumbs = [[t.title, LIST], [data.name ?? t.unnamed, here], [button]] as const
    const title = t.remindTitle
    if (due === 0) {
      const main = html`<p>${t.nobodyDue}</p><p class="buttons narrow">${buttonLink(t.back, here)}</p>`
      return { title, crumbs, main }
    }
    return { title, text: t.remindText(figure(due, frame.language), due), button, look: 'main', crumbs, back: here }
  },
  act: async ({ api, params }) => {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const { data } = await api.call(reminders.remindBatch, { params })
      if (!data.more) break
    }
    return { to: `${LIST}/${params.id}` }
  },
})
