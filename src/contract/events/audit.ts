import { type Static, Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { listQuery } from '../list-query.ts'
import { openEnum } from '../open-enum.ts'
import { orNull, time } from '../shapes.ts'
import { auditActions, OTHER_NAMES, SUBJECT_NAME } from './vocabulary.ts'

const text = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$', description })

const ANY_ACTION = Object.keys(auditActions)
  .map((one) => one.replaceAll('.', '\\.'))
  .join('|')

const Action = Type.String({ documentedAs: openEnum('AuditAction', Object.keys(auditActions)) })

/** The query of the audit trail. */
export const AuditListQuery = listQuery({
  filters: {
    actor: text('The id of the user or client that acted.'),
    action: Type.String({
      pattern: `^(${ANY_ACTION})(,(${ANY_ACTION}))*$`,
      maxLength: 1000,
      description: 'The action, e.g. `credential.revoked`, or several separated by commas.',
      documentedAs: { type: 'array', minItems: 1, items: Action },
    }),
    subject: text(
      'The id of the subject, or several separated by commas, such as those of an issuance and its credential.',
    ),
    result: Type.Enum(['done', 'refused'], { description: 'Whether it was done or refused.' }),
    createdAfter: time,
    createdBefore: time,
  },
})

/** The reply schema of an audit entry. */
export const AuditEntryReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    createdAt: time,
    actor: Type.Object(
      {
        kind: Type.Enum(['user', 'client', 'system', 'wallet', 'verifier', 'issuer']),
        id: orNull(Type.String()),
        actingClientId: orNull(
          Type.String({ description: 'The client that acted for the user after a token exchange.' }),
        ),
        name: Type.Optional(
          Type.String({ description: 'The username, or the name of the client, as it is now; see `subject.name`.' }),
        ),
      },
      { additionalProperties: false },
    ),
    action: Action,
    subject: Type.Object(
      {
        kind: Type.String(),
        id: orNull(Type.String()),
        name: Type.Optional(Type.String({ description: SUBJECT_NAME })),
      },
      { additionalProperties: false },
    ),
    result: Type.Enum(['done', 'refused']),
    ip: orNull(Type.String()),
    requestId: orNull(Type.String({ description: 'The id of the request, as in the log.' })),
    detail: Type.Record(Type.String(), Type.Unsafe<Json>({}), {
      description: 'Ids, counts and states, never a claim.',
    }),
    names: Type.Optional(Type.Record(Type.String(), Type.String(), { description: OTHER_NAMES })),
  },
  { additionalProperties: false, $id: 'AuditEntry' },
)

export type AuditEntryReply = Static<typeof AuditEntryReply>
