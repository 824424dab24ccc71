import { reminders } from '../../contract/issuance/reminders.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { getBatch } from '../batches/get-batch.ts'
import { getIssuance } from '../issuances/get-issuance.ts'
import { countReminders, remindBatch, remindOne } from './remind.ts'

/** Reminders of offers, in our API. */
export const reminderRoutes: readonly Route[] = [
  serve(reminders.remind, async ({ platform, caller, params: { id } }) => {
    // An unknown one is not found, before it is said that nobody can be reminded.
    await getIssuance(platform, caller, id)
    await remindOne(platform, caller, id)
    return answer(await getIssuance(platform, caller, id))
  }),
  serve(reminders.countBatch, async ({ platform, caller, params: { id } }) => {
    await getBatch(platform, caller, id)
    return answer(await countReminders(platform, caller, id))
  }),
  serve(reminders.remindBatch, async ({ platform, caller, params: { id } }) => {
    await getBatch(platform, caller, id)
    return answer(await remindBatch(platform, caller, id))
  }),
]
