import { Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import { CreateIssuanceBody } from '../issuances/schemas.ts'

/** Items of one batch. */
export const BATCH_ITEMS_MAX = 1000
/** Items returned with their batch; the list of items has all of them. */
export const BATCH_ITEMS_SHOWN = 100

const Time = Type.String({ format: 'date-time' })
const { credentialTemplateId, attributes, reference, recipient, expiresInSeconds } = CreateIssuanceBody.properties

/** Creates a batch. */
export const BatchBody = Type.Object(
  {
    credentialTemplateId,
    items: Type.Array(Type.Object({ attributes, reference, recipient }, { additionalProperties: false }), {
      minItems: 1,
      maxItems: BATCH_ITEMS_MAX,
      description: 'The issuances. The attributes of each item are validated later, item by item.',
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

/** Query of a batch whose body is a table. */
export const BatchQuery = Type.Object(
  {
    credentialTemplateId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Only with `text/csv`: the credential template to issue from.',
      }),
    ),
    expiresInSeconds: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,6}$',
        description: 'Only with `text/csv`: lifetime of the offers.',
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
  done: Type.Integer({ description: 'Items issued.' }),
  failed: Type.Integer({
    description: 'Items failed; `done` and `failed` add up to `total` in the end.',
  }),
  createdAt: Time,
  updatedAt: Time,
}

/** A batch in our API. */
export const BatchView = Type.Object(batchMembers, { $id: 'IssuanceBatch' })
/** See the schema of the same name. */
export type BatchView = Type.Static<typeof BatchView>

const Violation = Type.Object({ detail: Type.String(), pointer: Type.Optional(Type.String()) })

const ItemError = Type.Object(
  {
    code: Type.String({ description: 'As in `errors`.' }),
    detail: Type.String(),
    pointer: Type.Optional(Type.String({ description: 'JSON pointer to the value within the item.' })),
    column: Type.Optional(Type.String({ description: 'Column of the value, in a table.' })),
    violations: Type.Optional(
      Type.Array(Violation, { description: 'The first violations, if there is more than one.' }),
    ),
  },
  { $id: 'IssuanceBatchItemError' },
)

/** An item of a batch in our API. */
export const BatchItemView = Type.Object(
  {
    id: Type.String({ description: 'Id of the item and of its issuance.' }),
    index: Type.Integer({ description: 'Position in the request, from 0.' }),
    row: Type.Optional(Type.Integer({ description: 'Row in a table; the header is row 1.' })),
    status: Type.Enum(['waiting', 'done', 'failed']),
    reference: Type.Optional(Type.String()),
    issuanceId: Type.Optional(Type.String({ description: 'Present once the item is issued.' })),
    offerUri: Type.Optional(Type.String({ description: 'The credential offer, for a wallet to accept.' })),
    offerQrUri: Type.Optional(Type.String({ description: 'The offer as a QR code image.' })),
    txCode: Type.Optional(
      Type.String({
        description:
          'The transaction code that the holder must enter. Returned to callers with issuance:write, for 24 hours after the request while the offer is open. Send it over another channel than the offer.',
      }),
    ),
    deliveryId: Type.Optional(Type.String({ description: 'Id of the delivery to its recipient.' })),
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
      description: `The first ${BATCH_ITEMS_SHOWN} items; \`links.next\` is the next page.`,
    }),
  },
  { $id: 'IssuanceBatchWithItems' },
)
/** See the schema of the same name. */
export type BatchWithItemsView = Type.Static<typeof BatchWithItemsView>

/** Query of the list of batches. */
export const BatchListQuery = listQuery({ filters: { status: Type.Enum(['processing', 'completed']) } })

/** Query of the list of items. */
export const BatchItemListQuery = listQuery({
  filters: { status: Type.Enum(['waiting', 'done', 'failed']) },
  sorts: ['index'],
})
