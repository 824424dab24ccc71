import { Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import { CreateIssuanceBody } from '../issuances/schemas.ts'

/** Items in one call. */
export const BATCH_ITEMS_MAX = 1000
/** Items that are shown with their batch; the others stand in its list of items. */
export const BATCH_ITEMS_SHOWN = 100

const Time = Type.String({ format: 'date-time' })
const { credentialTemplateId, attributes, reference, recipient, expiresInSeconds } = CreateIssuanceBody.properties

/** What a batch is asked for with. */
export const BatchBody = Type.Object(
  {
    credentialTemplateId,
    items: Type.Array(Type.Object({ attributes, reference, recipient }, { additionalProperties: false }), {
      minItems: 1,
      maxItems: BATCH_ITEMS_MAX,
      description:
        'What is issued. Whether the attributes fit the template is checked for each item alone, after the answer.',
    }),
    expiresInSeconds,
  },
  {
    additionalProperties: false,
    $id: 'IssuanceBatchBody',
    examples: [
      {
        credentialTemplateId: '01890000-0000-7000-8000-000000000000',
        items: [
          { attributes: { family_name: 'Molefe', degree: 'BSc Computer Science' }, reference: 'student-4711' },
          { attributes: { family_name: 'Botha', degree: 'BA History' }, reference: 'student-4712' },
        ],
      },
    ],
  },
)
/** See the schema of the same name. */
export type BatchBody = Type.Static<typeof BatchBody>

/** What a body that is a table has no place for. */
export const BatchQuery = Type.Object(
  {
    credentialTemplateId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'With `text/csv`, and only there: which credential template to issue from.',
      }),
    ),
    expiresInSeconds: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,6}$',
        description: 'With `text/csv`, and only there: how long the offers may be redeemed.',
      }),
    ),
  },
  { additionalProperties: false },
)
/** See the schema of the same name. */
export type BatchQuery = Type.Static<typeof BatchQuery>

const batchMembers = {
  id: Type.String(),
  status: Type.Enum(['processing', 'completed'], { description: '`completed`: every item is done or has failed.' }),
  credentialTemplateId: Type.String(),
  total: Type.Integer(),
  done: Type.Integer({ description: 'Items that were issued.' }),
  failed: Type.Integer({
    description: 'Items that could not be issued; `done` and `failed` add up to `total` in the end.',
  }),
  createdAt: Time,
  updatedAt: Time,
}

/** A batch as our API shows it. */
export const BatchView = Type.Object(batchMembers, { $id: 'IssuanceBatch' })
/** See the schema of the same name. */
export type BatchView = Type.Static<typeof BatchView>

const Violation = Type.Object({ detail: Type.String(), pointer: Type.Optional(Type.String()) })

const ItemError = Type.Object(
  {
    code: Type.String({ description: 'As in `errors`.' }),
    detail: Type.String(),
    pointer: Type.Optional(Type.String({ description: 'Which value, within the item.' })),
    column: Type.Optional(Type.String({ description: 'Of a table: which column.' })),
    violations: Type.Optional(
      Type.Array(Violation, { description: 'If more than one value is wrong: the first of them.' }),
    ),
  },
  { $id: 'IssuanceBatchItemError' },
)

/** An item of a batch as our API shows it. */
export const BatchItemView = Type.Object(
  {
    id: Type.String({ description: 'Of the item; its issuance has the same.' }),
    index: Type.Integer({ description: 'Its place in the call, from 0.' }),
    row: Type.Optional(Type.Integer({ description: 'Of a table: its row; the header is row 1.' })),
    status: Type.Enum(['waiting', 'done', 'failed']),
    reference: Type.Optional(Type.String()),
    issuanceId: Type.Optional(Type.String({ description: 'There once it is issued.' })),
    offerUri: Type.Optional(Type.String({ description: 'The credential offer, for a wallet to accept.' })),
    offerQrUri: Type.Optional(Type.String({ description: 'Picture of the offer as a QR code.' })),
    txCode: Type.Optional(
      Type.String({
        description:
          'The code that the holder must enter. Told for 24 hours after the call, while the offer is open, to who may issue. Send it on another way than the offer.',
      }),
    ),
    deliveryId: Type.Optional(Type.String({ description: 'Of the delivery to its recipient.' })),
    error: Type.Optional(ItemError),
  },
  { $id: 'IssuanceBatchItem' },
)
/** See the schema of the same name. */
export type BatchItemView = Type.Static<typeof BatchItemView>

/** A batch with its first items. */
export const BatchWithItemsView = Type.Object(
  {
    ...batchMembers,
    items: Type.Array(BatchItemView, {
      description: `The first ${BATCH_ITEMS_SHOWN} items; \`links.next\` leads to the others.`,
    }),
  },
  { $id: 'IssuanceBatchWithItems' },
)
/** See the schema of the same name. */
export type BatchWithItemsView = Type.Static<typeof BatchWithItemsView>

/** What the list of batches may be asked for. */
export const BatchListQuery = listQuery({ filters: { status: Type.Enum(['processing', 'completed']) } })

/** What the list of items may be asked for. */
export const BatchItemListQuery = listQuery({
  filters: { status: Type.Enum(['waiting', 'done', 'failed']) },
  sorts: ['index'],
})
