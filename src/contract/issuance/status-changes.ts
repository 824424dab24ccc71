import { Type } from 'typebox'
import { operationGroup } from '../operation-group.ts'
import { credentialStatuses, statusReasons } from './issuances.ts'

/** Credentials that one request changes at most. */
export const IDS_MAX = 1000

const text = { minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' }

const which = {
  ids: Type.Optional(
    Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: IDS_MAX,
      description:
        'Ids of issued credentials: those in `credentials` of an issuance, not the id of the issuance itself.',
    }),
  ),
  filter: Type.Optional(
    Type.Object(
      {
        templateId: Type.Optional(Type.String({ format: 'uuid' })),
        batchId: Type.Optional(Type.String({ format: 'uuid' })),
        reference: Type.Optional(Type.String(text)),
        recipient: Type.Optional(
          Type.String({ ...text, description: 'The username or id of the user that it was made for.' }),
        ),
      },
      {
        additionalProperties: false,
        minProperties: 1,
        description: `Instead of ids: changes up to ${IDS_MAX} credentials that match all members and allow it, the newest first. Repeat while meta.more.`,
      },
    ),
  ),
}

const examples = [{ ids: ['01890000-0000-7000-8000-000000000000'] }]

const ReinstateBody = Type.Object(which, { additionalProperties: false, $id: 'ReinstateBody', examples })

const ChangeBody = Type.Object(
  {
    ...which,
    reason: Type.Optional(
      Type.Enum([...statusReasons], { description: 'Kept with the credential and in the audit trail; no free text.' }),
    ),
  },
  { additionalProperties: false, $id: 'ChangeStandingBody', examples },
)

const Result = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...credentialStatuses, 'unknown'], { description: 'Current status of the credential.' }),
    code: Type.Optional(
      Type.Enum(['NOT_FOUND', 'INVALID_STATE', 'VALIDATION_ERROR'], {
        description: 'Why the status was not changed. Absent: the credential has the requested status.',
      }),
    ),
    detail: Type.Optional(Type.String()),
    credentialIds: Type.Optional(
      Type.Array(Type.String(), {
        description: 'When the id is that of an issuance: the ids of the credentials in it.',
      }),
    ),
  },
  { $id: 'StandingResult' },
)

/** The credentials to change, and why. */
export type StatusChange = Type.Static<typeof ChangeBody>

const ofCredentials = operationGroup({
  group: 'creds',
  tag: 'issuances',
  scope: 'issuance:write',
  path: '/credentials',
  reply: Type.Object({ results: Type.Array(Result) }, { $id: 'StandingResults' }),
  meta: Type.Object({
    more: Type.Optional(Type.Boolean({ description: 'With a filter: whether more credentials match it.' })),
  }),
})

/** Changes of the status of issued credentials. */
export const statusChanges = {
  revoke: ofCredentials.post('/revoke', {
    operationId: 'revokeCredentials',
    summary:
      'Revokes issued credentials permanently. Each credential has its own result; a repeated request changes nothing.',
    body: ChangeBody,
  }),

  suspend: ofCredentials.post('/suspend', {
    operationId: 'suspendCredentials',
    summary: 'Suspends issued credentials until they are reinstated or revoked. Each credential has its own result.',
    body: ChangeBody,
  }),

  reinstate: ofCredentials.post('/reinstate', {
    operationId: 'reinstateCredentials',
    summary: 'Ends the suspension of issued credentials. Each credential has its own result.',
    body: ReinstateBody,
  }),
} as const
