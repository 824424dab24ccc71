import { type Static, Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { dcqlLimits } from '../../protocols/dcql/query.ts'
import { transactionLimits } from '../../protocols/openid4vp/transactions.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'
import { CheckView } from './checks.ts'
import { AskedCredential, templateFormats } from './requested-credentials.ts'

/** Statuses of a request in the API. `requested` is open; the others are final. */
const requestStatuses = ['requested', 'verified', 'rejected', 'failed', 'expired'] as const

/** Kinds of requests over the Digital Credentials API. [VP-D1] */
const browserProtocols = ['signed', 'unsigned', 'multisigned'] as const

/** Body of POST /presentations/request. */
export const CreateRequestBody = Type.Object(
  {
    presentationTemplateId: Type.String({ maxLength: 64, description: 'Id of the presentation template.' }),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Your own correlation id; returned with the request and usable as a filter.',
      }),
    ),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 30,
        maximum: 86_400,
        description: 'Lifetime of the request; by default that of the template, else of the server.',
      }),
    ),
    transactionData: Type.Optional(
      Type.Array(
        Type.Object(
          {
            type: Type.String({
              minLength: 1,
              maxLength: 512,
              description: 'Wallets refuse a type that they do not know.',
            }),
            credentials: Type.Optional(
              Type.Array(Type.Union([Type.String({ minLength: 1 }), Type.Integer({ minimum: 0 })]), {
                minItems: 1,
                maxItems: dcqlLimits.credentialsMax,
                description:
                  'Names or positions of credentials of the template; the presentation of one of them authorizes the transaction. By default all.',
              }),
            ),
            content: Type.Optional(
              Type.Record(Type.String(), Type.Unsafe<Json>({}), { description: 'The members that the type defines.' }),
            ),
          },
          { additionalProperties: false },
        ),
        {
          minItems: 1,
          maxItems: transactionLimits.entriesMax,
          description:
            'What the holder authorizes by presenting, e.g. a payment. The request is verified only if the key of the credential signed exactly this.',
        },
      ),
    ),
    digitalCredentials: Type.Optional(
      Type.Object(
        {
          origins: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
            minItems: 1,
            maxItems: 16,
            uniqueItems: true,
            description:
              'Origins of the pages, e.g. `https://shop.example.org`. An answer for any other origin is refused.',
          }),
          protocols: Type.Optional(
            Type.Array(Type.Enum([...browserProtocols]), {
              minItems: 1,
              uniqueItems: true,
              description: 'Kinds of requests, the preferred one first; by default signed, then unsigned.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description: "Lets pages request the presentation with the browser's Digital Credentials API as well.",
        },
      ),
    ),
    browserSession: Type.Optional(
      Type.String({
        minLength: 16,
        maxLength: 256,
        description:
          'An unguessable value of the session of the browser in which the flow begins. The result is then returned only with the same value, so that it cannot end in the session of another browser.',
      }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2000,
        description:
          "Where the wallet sends the holder's browser after the response, with a fresh `response_code` (same-device flow).",
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'CreatePresentationRequestBody',
    examples: [{ presentationTemplateId: '01890000-0000-7000-8000-000000000000', reference: 'application-17' }],
  },
)

export type CreateRequestBody = Static<typeof CreateRequestBody>

const Issue = Type.Object(
  {
    code: Type.String({ description: 'Stable.' }),
    message: Type.String(),
  },
  { additionalProperties: false },
)

const CredentialResult = Type.Object(
  {
    isValid: Type.Boolean(),
    name: orNull(Type.String()),
    type: Type.String(),
    format: Type.Enum([...templateFormats]),
    attributes: Type.Record(Type.String(), Type.Unsafe<Json>({}), {
      description:
        'The requested claims only, for an mdoc by namespace; empty unless the request is verified and the credential valid.',
    }),
    issuer: Type.Union([Type.String(), Type.Null()], {
      description: 'The issuer: a DID, an https identifier, or the subject of the signer certificate.',
    }),
    issues: Type.Array(Issue, {
      description:
        '`issuer.not_restricted`, `validity.certificate` and `presentation.elements` are warnings; every other issue makes the credential invalid.',
    }),
    checks: Type.Optional(
      Type.Array(CheckView, { description: 'Every check with its outcome, those that passed too; in a fixed order.' }),
    ),
  },
  { additionalProperties: false, $id: 'CredentialResult' },
)

/** A presentation request with its result. */
export const PresentationRequestReply = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...requestStatuses]),
    error: Type.Union([
      Type.Null(),
      Type.Object(
        { code: Type.Integer(), message: Type.String(), details: Type.Array(Issue) },
        { additionalProperties: false },
      ),
    ]),
    presentationTemplateId: Type.String(),
    templateName: Type.Optional(Type.String({ description: 'Name of the presentation template.' })),
    reference: Type.Optional(Type.String()),
    completedAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the response of the wallet was accepted. Absent: there is none.',
      }),
    ),
    claimsKeptUntil: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When claims and findings are erased. Absent: there are none, or they were erased.',
      }),
    ),
    credentials: Type.Array(CredentialResult),
    expiresAt: time,
    authorizationRequestUri: Type.String({
      description:
        'Opens a wallet on the same device. Where the template says `clientIdPrefix: "redirect_uri"` the open ' +
        'request stands in it by value.',
    }),
    authorizationRequestReferenceUri: Type.Optional(
      Type.String({
        description:
          'With a request by value: the same by reference, which is shorter. Few wallets read a request object ' +
          'without signature.',
      }),
    ),
    authorizationRequestQrUri: Type.String({ description: 'The same as a QR code: SVG, or PNG by `Accept`.' }),
    requestPageUri: Type.String({
      description:
        'A page for the holder: answer the request here, open another wallet, or scan it with another device. ' +
        'For mails and messages.',
    }),
    digitalCredentialsUri: Type.Optional(
      Type.String({
        description:
          'With `digitalCredentials`: where a page gets the argument of `navigator.credentials.get`. At `…/page` is a page to embed or open.',
      }),
    ),
    createdAt: time,
    updatedAt: time,
  },
  { additionalProperties: false, $id: 'PresentationRequest' },
)

export type PresentationRequestReply = Static<typeof PresentationRequestReply>

/** What the holder of a link may know of a request, before a wallet fetches it. */
export const PublicRequestReply = Type.Object(
  {
    end: Type.Union([Type.Enum(['answered', 'canceled', 'expired']), Type.Null()], {
      description: 'How the request ended; null: it is open.',
    }),
    asks: Type.Array(AskedCredential, {
      description: 'The credentials that the request asks for; empty once it has ended.',
    }),
    purpose: Type.Union([Type.String(), Type.Null()], { description: 'Why, as its template says.' }),
    expiresAt: time,
    authorizationRequestUri: Type.String({ description: 'Opens a wallet on the same device.' }),
    authorizationRequestReferenceUri: Type.Optional(
      Type.String({ description: 'Of an open request by value: the same by reference.' }),
    ),
    authorizationRequestQrUri: Type.String({ description: 'The same as a QR code: SVG, or PNG by `Accept`.' }),
  },
  { $id: 'PublicPresentationRequest' },
)

const ofPresentationRequests = operationGroup({
  group: 'creds',
  tag: 'presentation requests',
  scope: { read: 'verification:read', write: 'verification:write' },
  path: '/presentations',
  reply: PresentationRequestReply,
})

const RequestList = listQuery({
  filters: {
    status: PresentationRequestReply.properties.status,
    reference: Type.String({ minLength: 1, maxLength: 200 }),
    presentationTemplateId: Type.String({ format: 'uuid' }),
    createdAfter: time,
    createdBefore: time,
  },
})

/** Requests for presentations. */
export const presentationRequests = {
  create: ofPresentationRequests.post('/request', {
    summary: 'Creates a presentation request to show to a holder.',
    body: CreateRequestBody,
    faults: ['resource.unknown', 'certificate.none_active', 'state.conflict'],
  }),

  list: ofPresentationRequests.list('', {
    summary:
      'Lists presentation requests with their results. The result of a request with a redirectUri is returned only by GET with its response code.',
    query: RequestList,
  }),

  get: ofPresentationRequests.get('/{id}', {
    summary: 'Returns a presentation request with its result; with `Prefer: wait` after the next change.',
    longPoll: true,
    query: Type.Object(
      {
        responseCode: Type.Optional(
          Type.String({
            maxLength: 128,
            description:
              'The `response_code` from the redirect of the browser. The result of a request with a `redirectUri` requires it: 403 without, 404 with another.',
          }),
        ),
        browserSession: Type.Optional(
          Type.String({
            maxLength: 256,
            description:
              'The value that the request was created with. The result of such a request requires it: 403 without, 404 with another.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    faults: ['presentation_request.response_code'],
  }),

  cancel: ofPresentationRequests.delete('/{id}', {
    operationId: 'cancelPresentationRequest',
    summary: 'Cancels an open presentation request; its status becomes `expired`.',
    faults: ['presentation_request.closed'],
  }),

  deleteClaims: ofPresentationRequests.delete('/{id}/claims', {
    operationId: 'deletePresentationClaims',
    summary: 'Erases claims and findings of an answered presentation request now, before their retention ends.',
    faults: ['state.invalid'],
  }),
} as const
