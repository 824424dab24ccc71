import { Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { operationGroup } from '../operation-group.ts'
import { IssuanceView } from './issuances.ts'

/** Offers of a batch that are reminded of by one request. */
export const REMINDERS_MAX = 1000

const BatchReminders = Type.Object(
  {
    reminded: Type.Integer({ description: 'Offers whose link is mailed again.' }),
    more: Type.Boolean({ description: 'Whether there may be more: the same request reminds the others.' }),
  },
  { $id: 'BatchReminders' },
)

const BatchOpenOffers = Type.Object(
  {
    open: Type.Integer({ description: 'Issued items whose offer can be taken, and that nobody has taken.' }),
    due: Type.Integer({
      description:
        'Those of them of which the person can be reminded now: their link was mailed, the last mail is 24 hours old, and there were fewer than ten.',
    }),
  },
  { $id: 'BatchOpenOffers' },
)

const shared = {
  group: 'creds',
  params: IdParams,
  scope: { read: 'issuance:read', write: 'issuance:write' },
} as const
const ofIssuances = operationGroup({ ...shared, tag: 'issuances', reply: IssuanceView })
const ofBatches = operationGroup({ ...shared, tag: 'batches', reply: BatchReminders })

/** Reminders of offers that were mailed and that nobody has taken. */
export const reminders = {
  remind: ofIssuances.post('/credentials/issuance/{id}/reminder', {
    operationId: 'mailReminder',
    summary:
      'Mails the link of an open offer again, to the address that it was mailed to; once in 24 hours at most, and ten mails in all.',
    status: 200,
    faults: ['resource.unknown', 'state.invalid'],
  }),

  countBatch: ofBatches.get('/credentials/issuance/batch/{id}/reminder', {
    operationId: 'getBatchOpenOffers',
    summary: 'Counts the open offers of a batch, and those of them that a reminder can be mailed of now.',
    reply: BatchOpenOffers,
  }),

  remindBatch: ofBatches.post('/credentials/issuance/batch/{id}/reminder', {
    operationId: 'mailBatchReminders',
    summary: `Mails the links of the open offers of a batch again, as the operation for one issuance, up to ${REMINDERS_MAX} at a time.`,
    status: 200,
    faults: ['resource.unknown', 'state.invalid'],
  }),
} as const
