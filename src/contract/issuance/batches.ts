import { Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { allLanguages } from '../languages.ts'
import { listQuery, PageMeta } from '../list-query.ts'
import { CSV, EVENT_STREAM, PDF, XLSX } from '../media-types.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'
import { CreateIssuanceBody, IssuanceView } from './issuances.ts'
import { ItemMailBody, OfferMailView } from './offer-mails.ts'

/** Items of a batch in JSON. */
const BATCH_ITEMS_MAX = 1000

/** Rows of a table, which is one batch. */
export const TABLE_ROWS_MAX = 10_000

/** Columns of a table; the cells of attributes are bounded by the request. */
export const TABLE_COLUMNS_MAX = 1000

/** Columns of a table that are kept. */
export const KEPT_COLUMNS_MAX = 100

/** Bytes of a request. */
const BATCH_BYTES_MAX = 8 * 1024 * 1024

/** Items returned with their batch; the list of items has all of them. */
export const BATCH_ITEMS_SHOWN = 100

const Time = time

const Name = Type.String({ minLength: 1, maxLength: 200, description: 'A name for the batch, for people.' })

const { credentialTemplateId, attributes, reference, recipient, expiresInSeconds } = CreateIssuanceBody.properties
const { validFrom, validUntil, replaces } = CreateIssuanceBody.properties

/** Creates a batch. */
export const BatchBody = Type.Object(
  {
    credentialTemplateId,
    items: Type.Array(
      Type.Object(
        { attributes, reference, validFrom, validUntil, replaces, recipient, mail: Type.Optional(ItemMailBody) },
        { additionalProperties: false },
      ),
      {
        minItems: 1,
        maxItems: BATCH_ITEMS_MAX,
        description: 'The issuances. The attributes of each item are validated later, item by item.',
      },
    ),
    expiresInSeconds,
    name: Type.Optional(Name),
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

/** What separates the fields of a row. */
export const delimiters = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const

/** The names of {@link delimiters}. */
export const delimiterNames = Object.keys(delimiters) as Delimiter[]

const DelimiterName = Type.Enum(delimiterNames)

/** Query of a batch: whether it is only checked, and how a table is written. */
export const BatchQuery = Type.Object(
  {
    check: Type.Optional(
      Type.Enum(['true'], {
        description: 'Creates nothing; the answer is 200 with the result of every item.',
      }),
    ),
    name: Type.Optional(Type.String({ ...Name, description: 'Only with a table: a name for the batch.' })),
    delimiter: Type.Optional(
      Type.Enum(delimiterNames, {
        description: 'Only with `text/csv`: what a line `sep=` says, or `comma` by default.',
      }),
    ),
    sheet: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'Only with a workbook: the name of the sheet. By default the first visible one that has a heading of the ' +
          'template, else the first visible one that has rows.',
      }),
    ),
    headerRow: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,2}$',
        description:
          'Only with a table: the number of the row with the headings, from 1; rows above it are not read. By default ' +
          'the first row of CSV, and of a workbook the one that has most names of the template, or looks like headings.',
      }),
    ),
    decimal: Type.Optional(
      Type.Enum(['point', 'comma'], { description: 'Only with a table: the decimal sign; `point` by default.' }),
    ),
    dates: Type.Optional(
      Type.Enum(['dmy', 'mdy'], {
        description:
          'Only with a table: dates such as 03/04/2026 are read in this order, 03.04.2026 always by its day. ' +
          'By default a date that can be two days fails its item.',
      }),
    ),
    columns: Type.Optional(
      Type.String({
        maxLength: 32_768,
        description:
          'Only with a table: a JSON object with the new names of columns, such as `{"Surname":"family_name","Campus":""}`. A column with an empty name is left out.',
      }),
    ),
    keep: Type.Optional(
      Type.String({
        maxLength: 32_768,
        description:
          'Only with a table: a JSON array of headings, such as `["Surname","Room"]`, at most 100. What the cells of these columns show is kept with the batch, in this order, and comes first in the table of items. They may be columns of attributes too; one that is none is only kept.',
      }),
    ),
    credentialTemplateId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Only with a table: the credential template to issue from.',
      }),
    ),
    expiresInSeconds: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,6}$',
        description: 'Only with a table: lifetime of the offers.',
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
  templateName: Type.Optional(
    Type.String({ description: 'The present name of the template, also of an archived one.' }),
  ),
  total: Type.Integer(),
  done: Type.Integer({ description: 'Items issued.' }),
  failed: Type.Integer({
    description: 'Items failed; `done` and `failed` add up to `total` in the end.',
  }),
  mails: Type.Optional(
    Type.Object(
      {
        queued: Type.Integer(),
        sent: Type.Integer({ description: 'The mail server took them.' }),
        failed: Type.Integer(),
      },
      { description: 'The first mail of each issued item that has one; absent without any.' },
    ),
  ),
  name: Type.Optional(Type.String()),
  keepsColumns: Type.Boolean({ description: 'It keeps columns of its table, which its table of items begins with.' }),
  createdBy: Type.Optional(
    Type.Object(
      { kind: Type.String({ description: '`user` or `client`.' }), id: Type.String() },
      { description: 'The user or client that requested it.' },
    ),
  ),
  createdAt: Time,
  updatedAt: Time,
}

/** A batch in our API. */
export const BatchView = Type.Object(batchMembers, { $id: 'IssuanceBatch' })

/** See the schema of the same name. */
export type BatchView = Type.Static<typeof BatchView>

const BrokenRule = Type.Object(
  { rule: Type.String(), limit: Type.Optional(Type.Union([Type.Number(), Type.String()])) },
  { description: 'As in `errors`: the rule that the value breaks, and what the rule allows.' },
)

const Violation = Type.Object({
  detail: Type.String(),
  pointer: Type.Optional(Type.String()),
  meta: Type.Optional(BrokenRule),
})

const ItemError = Type.Object(
  {
    code: Type.String({ description: 'As in `errors`.' }),
    detail: Type.String(),
    pointer: Type.Optional(Type.String({ description: 'JSON pointer to the value within the item.' })),
    column: Type.Optional(Type.String({ description: 'Column of the value, in a table.' })),
    meta: Type.Optional(BrokenRule),
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
    row: Type.Optional(Type.Integer({ description: 'Row in a table; the header of CSV is row 1.' })),
    status: Type.Enum(['waiting', 'done', 'failed']),
    reference: Type.Optional(Type.String()),
    issuanceId: Type.Optional(Type.String({ description: 'Present once the item is issued.' })),
    offerUri: Type.Optional(
      Type.String({ description: 'The credential offer, for a wallet to accept; for callers with `issuance:write`.' }),
    ),
    offerPageUri: Type.Optional(Type.String({ description: 'The same as a page for the person, to mail.' })),
    offerPageQrUri: Type.Optional(Type.String({ description: 'The address of the page as a QR code image.' })),
    offerQrUri: Type.Optional(Type.String({ description: 'The offer as a QR code image, for wallets.' })),
    txCode: Type.Optional(
      Type.String({
        description:
          'The transaction code that the holder must enter. Returned to callers with issuance:write, for 24 hours after the request while the offer is open. Send it over another channel than the offer.',
      }),
    ),
    validFrom: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the validity begins, where the item states it.' }),
    ),
    validUntil: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the validity ends, where the item states it.' }),
    ),
    replaces: IssuanceView.properties.replaces,
    offerMail: Type.Optional(OfferMailView),
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

/** The result of a batch that was only checked. */
export const BatchCheckView = Type.Object(
  {
    total: Type.Integer(),
    valid: Type.Integer({ description: 'Items that could be issued now.' }),
    invalid: Type.Integer(),
    duplicates: Type.Integer({ description: 'Items with `duplicateOf`: a warning, they can be issued.' }),
    items: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Position in the request, from 0.' }),
        row: Type.Optional(Type.Integer({ description: 'Row in a table; the header of CSV is row 1.' })),
        status: Type.Enum(['valid', 'invalid']),
        duplicateOf: Type.Optional(
          Type.Integer({ description: 'Index of the first item with the same attributes and the same recipient.' }),
        ),
        replaceable: Type.Optional(
          Type.Integer({
            description:
              'Of an item that replaces nothing: how many credentials of the template with its reference could be ' +
              'replaced; 2 stands for several, and absent for none.',
          }),
        ),
        error: Type.Optional(ItemError),
      }),
    ),
  },
  { $id: 'IssuanceBatchCheck' },
)

/** See the schema of the same name. */
export type BatchCheckView = Type.Static<typeof BatchCheckView>

/** Query of the sample of a table. */
const SampleQuery = Type.Object(
  {
    headings: Type.Optional(
      Type.Enum(['names', 'labels'], {
        description: '`names` (default) are those of the columns, `labels` are for people.',
      }),
    ),
    delimiter: Type.Optional({ ...DelimiterName, description: 'What separates the columns; a comma by default.' }),
  },
  { additionalProperties: false },
)

/** Query of the list of batches. */
const BatchListQuery = listQuery({
  filters: {
    status: Type.Enum(['processing', 'completed']),
    hasFailedItems: Type.Enum(['true'], { description: 'Batches with items that failed.' }),
  },
})

/** Where the transaction codes of letters are. */
export const letterCodes = ['with', 'apart', 'slips'] as const

/** Query of the list of items. */
const BatchItemListQuery = listQuery({
  filters: { status: Type.Enum(['waiting', 'done', 'failed']) },
  sorts: ['index'],
  more: {
    delimiter: Type.Enum(delimiterNames, { description: 'Of the table; only with `Accept: text/csv`.' }),
    codes: Type.Enum(letterCodes, {
      description:
        'Only with `Accept: application/pdf`: the transaction code of a person stands on the letter (`with`, by ' +
        'default), or it does not (`apart`), and the codes are a document of their own (`slips`).',
    }),
    language: Type.Enum(allLanguages, {
      description:
        'Of the table, which is then for people: with headings and states in this language, and the columns that ' +
        'people need.',
    }),
  },
})

/** A table to issue from. */
const EXAMPLE = 'reference,family_name,given_name\r\n2026-17,Molefe,Thandi\r\n'

const ofBatches = operationGroup({
  group: 'creds',
  tag: 'batches',
  path: '/credentials/issuance/batch',
  params: IdParams,
  reply: BatchView,
  scope: { read: 'issuance:read', write: 'issuance:write' },
})

const EXAMPLE_PAGE = 'https://example.org/offer/1'
const EXAMPLE_OFFER = 'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fexample.org%2F1'

/** The columns of the table of items, after those that the batch keeps. */
export const itemColumns = [
  'row',
  'reference',
  'status',
  'issuanceId',
  'offerPageUri',
  'offerUri',
  'txCode',
  'error',
  'column',
  'detail',
  'mail',
  'validFrom',
  'validUntil',
  'replaces',
] as const

/** One of {@link itemColumns}. */
export type ItemColumn = (typeof itemColumns)[number]

const ITEMS_EXAMPLE = [
  itemColumns.join(','),
  `2,2026-17,done,01890000-0000-7000-8000-000000000000,${EXAMPLE_PAGE},${EXAMPLE_OFFER},,,,,,,,`,
  '',
].join('\r\n')

/** Batches of issuances. */
export const batches = {
  create: ofBatches.post('', {
    operationId: 'createIssuanceBatch',
    summary:
      'Accepts a batch of issuances, up to 1,000 as JSON or up to 10,000 as a table (CSV or a workbook); a job issues the items, each with its own result. With `check=true` only checks them.',
    query: BatchQuery,
    body: BatchBody,
    fileBodies: [CSV, XLSX],
    textExamples: { [CSV]: EXAMPLE },
    bodyBytesMax: BATCH_BYTES_MAX,
    jsonValuesMax: 100_000,
    reply: Type.Union([BatchView, BatchCheckView]),
    status: 202,
    otherStatuses: [200],
    replyHeaders: ['Location'],
    faults: ['resource.unknown', 'state.invalid', 'request.rate_limited'],
  }),

  list: ofBatches.list('', {
    summary: 'Lists the batches of the last 30 days.',
    query: BatchListQuery,
  }),

  get: ofBatches.get('/{id}', {
    operationId: 'getIssuanceBatch',
    summary:
      'Returns a batch with its first items; with `Prefer: wait`, once it has progressed; with `Accept: text/event-stream`, an event for each progress.',
    longPoll: true,
    reply: BatchWithItemsView,
    streams: BatchView,
    faults: ['request.rate_limited'],
    produces: [EVENT_STREAM],
  }),

  listItems: ofBatches.get('/{id}/items', {
    summary:
      'Lists the items of a batch with their results, by default in their order; as CSV or as a workbook, all of them as a table that begins with the columns that the batch keeps; as PDF, a letter for each open offer.',
    query: BatchItemListQuery,
    reply: Type.Array(BatchItemView),
    meta: PageMeta,
    produces: [CSV, XLSX, PDF],
    textExamples: { [CSV]: ITEMS_EXAMPLE },
    faults: ['state.invalid', 'request.rate_limited'],
  }),

  getSample: operationGroup({
    group: 'creds',
    tag: 'batches',
    path: '/templates/credentials',
    params: IdParams,
    scope: 'issuance:read',
  }).get('/{id}/sample', {
    operationId: 'getSampleTable',
    summary: 'Returns a table with the columns of a template and a row of examples, to be filled in.',
    query: SampleQuery,
    status: 200,
    produces: [CSV],
    textExamples: { [CSV]: EXAMPLE },
  }),
} as const

/** One of {@link delimiters}. */
export type Delimiter = keyof typeof delimiters
