import { type Static, Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { IdParams } from '../id-params.ts'
import { listQuery, PageMeta } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'
import { CardImage, CredentialDetails } from './card-display.ts'
import { presentationRequestFaults } from './refusals.ts'
import { TrustBasis } from './trust-basis.ts'

const { id: Uuid } = IdParams.properties

const Time = time

/** A presentation request in the examples of the reference. */
export const EXAMPLE_REQUEST =
  'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Acredentials.example.org%3Aissuers%3Aacme&request_uri=https%3A%2F%2Fcredentials.example.org%2Fverifiers%2Facme%2Frequests%2FAaH7HVQAdF6'

const SelectedCredential = Type.Object(
  {
    credentialId: Uuid,
    matchedAttributes: Type.Array(Type.String(), {
      description: 'Claim paths, dotted; [] stands for every element of an array. Of an mdoc namespace/element.',
    }),
  },
  { additionalProperties: false },
)

/** Statuses of a presentation; all but `pending` are final. */
const presentationStatuses = ['pending', 'answered', 'rejected', 'expired', 'failed'] as const

/** One of {@link presentationStatuses}. */
export type PresentationStatus = (typeof presentationStatuses)[number]

/** A presentation request to a holder, and its answer. */
const Presentation = Type.Object(
  {
    id: Uuid,
    tenantId: Type.String({ format: 'uuid', description: 'The tenant of the holder.' }),
    status: Type.Enum([...presentationStatuses], { description: 'All but pending are final.' }),
    createdAt: Time,
    updatedAt: Time,
    selectedCredentials: Type.Array(SelectedCredential, {
      description:
        'The shared credentials; while pending, the proposal, made when the request arrived: a suspended or revoked ' +
        'credential only where no other answers. Empty: no credential in the wallet answers the request.',
    }),
  },
  { $id: 'Presentation' },
)

/** The type of {@link Presentation}. */
export type ShownPresentation = Static<typeof Presentation>

/** Body with a presentation request. */
export const PresentationBody = Type.Object(
  {
    presentationRequest: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'openid4vp://…, or any https URL with client_id and request_uri.',
    }),
  },
  { additionalProperties: false, $id: 'PresentationBody', examples: [{ presentationRequest: EXAMPLE_REQUEST }] },
)

/** Body of the holder's answer. */
export const AnswerBody = Type.Object(
  {
    status: Type.Enum(['answered', 'rejected'], { description: 'Whether the holder shares or declines.' }),
    selectedCredentials: Type.Optional(
      Type.Array(
        Type.Object(
          {
            credentialId: Uuid,
            matchedAttributes: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 256 })),
          },
          { additionalProperties: false },
        ),
        {
          minItems: 1,
          maxItems: 64,
          description:
            'The alternatives to present; the proposal by default. The request determines what is disclosed.',
        },
      ),
    ),
    confirmation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8192,
        description:
          'Where the organisation wants it (`meta.needsConfirmation`): an ID token of a sign-in with the nonce of POST …/confirmation and `prompt=login`.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'AnswerBody', examples: [{ status: 'answered' }] },
)

/** The type of {@link AnswerBody}. */
export type AnswerBody = Static<typeof AnswerBody>

/** Body of the start of a confirmation: what the holder is about to share. */
export const ConfirmationBody = Type.Object(
  { selectedCredentials: AnswerBody.properties.selectedCredentials },
  { additionalProperties: false, $id: 'ConfirmationBody', examples: [{}] },
)

/** The type of {@link ConfirmationBody}. */
export type ConfirmationBody = Static<typeof ConfirmationBody>

/** A confirmation that was started. */
export const Confirmation = Type.Object(
  {
    nonce: Type.String({
      description: 'The `nonce` of the authorization request with which the person signs in again.',
    }),
    expiresAt: Type.String({ format: 'date-time', description: 'Until when the ID token of that sign-in is taken.' }),
  },
  { $id: 'Confirmation' },
)

/** The type of {@link Confirmation}. */
export type Confirmation = Static<typeof Confirmation>

/** The caller's own record. */
const CurrentUser = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'First and last name, else the username; of a client its id.' }),
    email: Type.String({ description: 'Empty for a client.' }),
  },
  { $id: 'CurrentUser' },
)

const ids = Type.Array(Type.String())

const Verifier = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  responseHost: Type.String(),
  authenticated: Type.Boolean({ description: 'Whether a signature proves the name.' }),
  trusted: Type.Boolean({ description: 'Whether the organisation of the holder trusts the verifier.' }),
  own: Type.Optional(Type.Boolean({ description: 'The verifier is the organisation of the holder.' })),
  basis: Type.Optional(TrustBasis),
  statedName: Type.Optional(Type.String({ description: 'What the verifier calls itself. Nothing proves it.' })),
})

/** What a list says about a presentation besides its state. */
export const PresentationSummary = Type.Object({
  verifier: Verifier,
  expiresAt: Time,
  disclosed: Type.Enum(['yes', 'no', 'unknown'], {
    description:
      'Whether the verifier received the credentials. unknown: they were sent, but the verifier did not confirm it; while pending, PATCH sends the same answer again.',
  }),
})

/** The type of {@link PresentationSummary}. */
export type PresentationSummary = Static<typeof PresentationSummary>

/** A claim that leaves. */
const PreviewedClaim = Type.Object({
  path: Type.String({
    description: 'The path as a JSON array; null stands for an element of an array. Of an mdoc namespace and element.',
  }),
  value: Type.Unsafe<Json>({ description: 'A single value; of an mdoc the element.' }),
  isRequested: Type.Boolean({
    description: 'false: it is disclosed besides, since its issuer did not make it selectively disclosable.',
  }),
  position: Type.Optional(
    Type.String({ description: 'Of a value inside an array: the path with the indices of elements instead of null.' }),
  ),
})

/** The type of {@link PreviewedClaim}. */
export type PreviewedClaim = Static<typeof PreviewedClaim>

/** What a verifier would get of one credential. */
const ClaimsPreview = Type.Object({
  queryId: Type.String(),
  credentialId: Uuid,
  disclosed: Type.Array(PreviewedClaim),
  withheld: Type.Array(Type.String(), { description: 'Paths of the claims that would not be disclosed.' }),
  disclosedMore: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Number of claims that would be disclosed too, and are too much to list. Do not let a person consent to what was not shown: GET /v2/credentials/{id} returns all values.',
    }),
  ),
  withheldMore: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Number of claims that would not be disclosed and are not listed.' }),
  ),
})

/** The type of {@link ClaimsPreview}. */
export type ClaimsPreview = Static<typeof ClaimsPreview>

/** The `meta` of a presentation. */
const PresentationMeta = Type.Object(
  {
    verifier: Verifier,
    preview: Type.Optional(
      Type.Array(ClaimsPreview, {
        description: 'While pending: what the verifier would get of each alternative, with values. GET only.',
      }),
    ),
    credentials: Type.Optional(
      Type.Record(Type.String(), CredentialDetails, {
        description: 'More about each credential, by id, with its status. GET only.',
      }),
    ),
    hasLogo: Type.Optional(
      Type.Boolean({ description: 'true: GET …/logo returns the logo of the verifier, whom the organisation knows.' }),
    ),
    needsConfirmation: Type.Optional(
      Type.Boolean({
        description:
          'true: the organisation wants the person to sign in again before this is shared; PATCH needs a `confirmation`. GET only.',
      }),
    ),
    retentionSeconds: Type.Optional(
      Type.Integer({ description: 'How long the verifier says that it keeps what it gets.' }),
    ),
    purpose: Type.Optional(Type.String({ description: 'The purpose that the verifier states.' })),
    verifierInfo: Type.Optional(
      Type.Array(Type.Object({ format: Type.String(), data: Type.String() }), {
        description:
          'Attestations that the verifier states about itself, e.g. registration certificates; not verified by this server.',
      }),
    ),
    transactionData: Type.Optional(
      Type.Array(
        Type.Object({ type: Type.String(), queryIds: ids, content: Type.Record(Type.String(), Type.Unsafe<Json>({})) }),
        {
          description:
            'What the holder authorizes by sharing, e.g. a payment: the presentation for one of `queryIds` signs it. To be shown before consent.',
        },
      ),
    ),
    credentialSets: Type.Optional(
      Type.Array(Type.Object({ options: Type.Array(ids), required: Type.Boolean() }), {
        description:
          'The combinations of queries that satisfy the request, the preferred one first. Without: all queries.',
      }),
    ),
    expiresAt: Type.String({ format: 'date-time', description: 'When the request expires.' }),
    alternatives: Type.Array(
      Type.Object({
        queryId: Type.String(),
        required: Type.Boolean(),
        multiple: Type.Boolean(),
        credentials: Type.Array(
          Type.Object({
            ...SelectedCredential.properties,
            alsoDisclosed: Type.Optional(ids),
            intentToRetain: Type.Optional(ids),
          }),
        ),
      }),
      {
        description:
          'The credentials that match each query, from which PATCH may select, the preferred one first: valid, of ' +
          'unknown status, suspended, revoked.',
      },
    ),
    alsoDisclosed: Type.Optional(
      Type.Array(Type.Object({ credentialId: Uuid, attributes: ids }), {
        description: 'Claims that a selected credential discloses in addition.',
      }),
    ),
    unmatched: Type.Optional(
      Type.Array(Type.Object({ queryId: Type.String(), types: ids }), {
        description: 'Queries that no credential of the wallet matches.',
      }),
    ),
    redirectUri: Type.Optional(Type.String({ description: 'Where the verifier sends the user next.' })),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.String({
            description:
              '`presentation.closed`: a verifier of this deployment refused the response unread, since its request had ended.',
          }),
          message: Type.String(),
          rule: Type.Optional(
            Type.String({
              description:
                'How the request had ended, as far as the verifier says: request.answered, request.canceled, request.expired, request.over (not known how), request.unknown.',
            }),
          ),
        },
        { description: 'Why the presentation failed.' },
      ),
    ),
  },
  { $id: 'PresentationMeta' },
)

const Status = Type.Enum([...presentationStatuses], { description: 'Only presentations with this status.' })

const PresentationListQuery = listQuery({ filters: { status: Status } })

const ofPresentations = operationGroup({
  group: 'wallet',
  tag: 'presentations',
  params: IdParams,
  reply: Presentation,
  meta: PresentationMeta,
  faults: ['holder.missing'],
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

/** Of one presentation, but no presentation. */
const ofParts = operationGroup({
  group: 'wallet',
  tag: 'presentations',
  params: IdParams,
  faults: ['holder.missing'],
  scope: 'wallet:write',
})

const ofCaller = operationGroup({ group: 'wallet', tag: 'presentations', scope: 'wallet:read' })

/** Presentation requests to the wallet of the caller, and its answers. */
export const presentations = {
  list: ofPresentations.get('/v2/presentations', {
    summary: 'Lists the presentation requests to the holder.',
    query: PresentationListQuery,
    reply: Type.Array(Presentation),
    meta: Type.Object({
      ...PageMeta.properties,
      presentations: Type.Record(Type.String(), PresentationSummary, { description: 'More about each, by id.' }),
    }),
  }),

  prepare: ofPresentations.post('/v2/presentations', {
    replyHeaders: ['ETag'],
    summary: 'Fetches a presentation request and proposes an answer. Nothing is sent before the holder shares.',
    body: PresentationBody,
    status: 201,
    faults: presentationRequestFaults,
  }),

  get: ofPresentations.get('/v2/presentations/{id}', {
    summary:
      'Returns a presentation; while it is pending, with the claims and values that would leave. Its `ETag` changes with what the holder is shown. With `Prefer: wait`, once it is not pending any more.',
    longPoll: true,
  }),

  answer: ofPresentations.patch('/v2/presentations/{id}', {
    replyHeaders: ['ETag'],
    operationId: 'answerPresentation',
    summary:
      "Sends the holder's answer to the verifier: credentials or a refusal. A repetition of the call resends an answer that the verifier did not confirm.",
    body: AnswerBody,
    ifMatch: true,
    faults: [
      'resource.changed',
      'state.invalid',
      'credential.unmatched',
      'presentation.confirmation_required',
      'presentation.undelivered',
      'presentation.postponed',
      'presentation.unconfirmed',
      'upstream.unreachable',
      'upstream.timeout',
    ],
  }),

  getLogo: ofParts.get('/v2/presentations/{id}/logo', {
    operationId: 'getVerifierLogo',
    summary: 'Returns the logo of a verifier whom the organisation knows, as it was fetched when the request arrived.',
    scope: 'wallet:read',
    reply: CardImage,
  }),

  startConfirmation: ofParts.post('/v2/presentations/{id}/confirmation', {
    operationId: 'requestConfirmation',
    summary:
      'Starts the sign-in by which a person confirms one answer, where the organisation wants that. Send the person to the authorization endpoint with `prompt=login` and this `nonce`; the ID token is the `confirmation` of PATCH, for the same credentials and as long as nothing has changed.',
    body: ConfirmationBody,
    reply: Confirmation,
    ifMatch: true,
    faults: ['resource.changed', 'state.invalid'],
  }),

  whoami: ofCaller.get('/v2/whoami', {
    summary: 'Returns the caller.',
    reply: CurrentUser,
  }),
} as const
