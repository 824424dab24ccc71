import { Type } from 'typebox'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { credentialStatuses } from '../issuances/schemas.ts'
import { changeStatuses } from './change-status.ts'
import { type StatusTransition, statusTransitions } from './credential-status.ts'

const IDS_MAX = 1000

const ChangeBody = Type.Object(
  {
    ids: Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: IDS_MAX,
      description:
        'Ids of issued credentials: those in `credentials` of an issuance, not the id of the issuance itself.',
    }),
  },
  {
    additionalProperties: false,
    $id: 'ChangeStandingBody',
    examples: [{ ids: ['01890000-0000-7000-8000-000000000000'] }],
  },
)

const Result = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...credentialStatuses, 'unknown'], { description: 'Of the credential, now.' }),
    code: Type.Optional(
      Type.Enum(['NOT_FOUND', 'INVALID_STATE', 'VALIDATION_ERROR'], {
        description: 'Why nothing was changed. Absent: the credential is as asked for, whether or not it was before.',
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

const says = {
  revoke:
    'Revokes issued credentials, for good. Each is revoked or refused by itself; a repeated request changes nothing.',
  suspend: 'Suspends issued credentials until they are reinstated or revoked. Each is suspended or refused by itself.',
  reinstate: 'Ends the suspension of issued credentials. Each is reinstated or refused by itself.',
} as const

function changeAt(change: StatusTransition): Route {
  return route({
    group: 'creds',
    method: 'POST',
    path: `/credentials/${change.verb}`,
    tag: 'issuances',
    summary: says[change.verb],
    scope: 'issuance:write',
    body: ChangeBody,
    status: 200,
    reply: Type.Object({ results: Type.Array(Result) }, { $id: 'StandingResults' }),
    faults: [],
    handle: async ({ platform, caller, body }) =>
      answer({ results: await changeStatuses(platform, caller, body.ids, change) }),
  })
}

/** What an organisation says of credentials that are out. */
export const statusRoutes: readonly Route[] = statusTransitions.map(changeAt)
