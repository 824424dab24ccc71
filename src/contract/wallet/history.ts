import { type Static, Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { listQuery, PageMeta } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'
import { CredentialDisplay } from './card-display.ts'
import { ViewsByHour } from './card-links.ts'
import { Credential } from './credentials.ts'

/** Kinds of history entries. */
const historyKinds = ['credential', 'presentation', 'sharedLink'] as const

/**
 * Statuses of history entries: of a credential the holder's consent, until it is removed; of a presentation the answer;
 * of a link whether it works.
 */
const historyStatuses = [
  'pending',
  'accepted',
  'rejected',
  'removed',
  'answered',
  'failed',
  'expired',
  'active',
  'ended',
] as const

const { id: Uuid } = IdParams.properties

const Time = time

const Paths = (description: string) => Type.Array(Type.String(), { description })

const { format } = Credential.properties

const CredentialTrace = Type.Object(
  {
    vct: Type.String({ description: 'The type; of an mdoc the document type.' }),
    format,
    iss: Type.Union([Type.String(), Type.Null()], { description: 'The issuer that was proven when it was received.' }),
    statedIss: Type.Optional(
      Type.String({ description: 'The `iss` in the credential, where another issuer was proven. Nothing proves it.' }),
    ),
    credentialIssuer: Type.String({ description: 'The Credential Issuer Identifier.' }),
    standing: Type.Optional(
      Type.Enum(['suspended', 'revoked'], {
        description: 'The status at the last check. Absent while the credential is valid.',
      }),
    ),
  },
  { additionalProperties: false },
)

const Selected = Type.Object(
  {
    credentialId: Uuid,
    vct: Type.Union([Type.String(), Type.Null()], {
      description: 'The type, also after its removal. null: not known any more.',
    }),
    matchedAttributes: Paths('Claim paths, dotted; of an mdoc namespace/element. Never a value.'),
    alsoDisclosed: Paths('Claims that were disclosed because the issuer did not make them selectively disclosable.'),
  },
  { additionalProperties: false },
)

const PresentationTrace = Type.Object(
  {
    verifier: Type.Object(
      {
        clientId: Type.String({ description: 'The client id of the verifier.' }),
        name: Type.String(),
        responseHost: Type.String({ description: 'The host that receives the answer.' }),
        authenticated: Type.Boolean({ description: 'The name was proved by a signature.' }),
        trusted: Type.Boolean({ description: 'The organisation of the holder trusts the verifier.' }),
      },
      { additionalProperties: false },
    ),
    purpose: Type.Optional(Type.String({ description: 'The purpose, as stated by the verifier.' })),
    disclosed: Type.Enum(['yes', 'no', 'unknown'], {
      description:
        'Whether the verifier received selectedCredentials. unknown: they were sent, but the verifier did not confirm it.',
    }),
    selectedCredentials: Type.Array(Selected, {
      description: 'The credentials that were shared, or proposed: see disclosed.',
    }),
    error: Type.Optional(
      Type.Object({ code: Type.String(), message: Type.String() }, { description: 'Why it failed.' }),
    ),
  },
  { additionalProperties: false },
)

const SharedLinkTrace = Type.Object(
  {
    credentialId: Uuid,
    vct: Type.String({ description: 'The type, also after its removal.' }),
    recipient: Type.String({ description: 'Who the link is for, in the words of the holder.' }),
    purpose: Type.String({ description: 'What the link is for, in the words of the holder.' }),
    claims: Paths('The names of what is shared: claim paths, dotted. Never a value.'),
    views: Type.Integer({ minimum: 0 }),
    viewedAt: Type.Optional(time),
    viewsByHour: ViewsByHour,
  },
  { additionalProperties: false },
)

/** An entry of a holder's history. */
export const HistoryEntry = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Of the credential, the presentation or the link.' }),
    kind: Type.Enum([...historyKinds], {
      description:
        'credential: received from an issuer. presentation: requested by a verifier. sharedLink: a link that the holder made.',
    }),
    status: Type.Enum([...historyStatuses], {
      description:
        'A credential: pending, accepted, rejected, removed. A presentation: pending, answered, rejected, failed, expired. A link: active, expired, ended.',
    }),
    createdAt: Type.String({ format: 'date-time', description: 'When it was received or requested.' }),
    updatedAt: Type.String({
      format: 'date-time',
      description: 'When the status was set: of an answered presentation the time of sharing.',
    }),
    credential: Type.Optional(CredentialTrace),
    presentation: Type.Optional(PresentationTrace),
    sharedLink: Type.Optional(SharedLinkTrace),
  },
  { additionalProperties: false, $id: 'HistoryEntry' },
)

/** The type of {@link HistoryEntry}. */
export type HistoryEntry = Static<typeof HistoryEntry>

/** The kind of an entry. */
export type HistoryKind = HistoryEntry['kind']

/** The status of an entry. */
export type HistoryStatus = HistoryEntry['status']

/** What the history shows of a presentation. */
export type PresentationTrace = NonNullable<HistoryEntry['presentation']>

/** The filters of the history. */
const historyFilters = {
  kind: Type.Enum([...historyKinds]),
  status: Type.Enum([...historyStatuses]),
  credentialId: Type.String({
    format: 'uuid',
    description: 'The entry of this credential, the presentations in which it was sent, and its links.',
  }),
  createdAfter: Time,
  createdBefore: Time,
}

/** The history of the wallet of the caller. */
export const history = {
  list: operationGroup({ group: 'wallet', tag: 'history', scope: 'wallet:read' }).get('/v2/history', {
    summary:
      'Lists received credentials with their issuers, presentations with their verifiers, and links with their views. Attribute names, never their values.',
    query: listQuery({ filters: historyFilters }),
    reply: Type.Array(HistoryEntry),
    meta: Type.Object({
      ...PageMeta.properties,
      credentials: Type.Record(Type.String(), CredentialDisplay, {
        description: 'How the credentials of the page look, by id; of removed ones the names that they had.',
      }),
    }),
    faults: ['holder.missing'],
  }),
} as const
