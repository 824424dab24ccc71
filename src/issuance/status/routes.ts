import { Type } from 'typebox'
import { routeGroup } from '../../api/route-group.ts'
import { answer, type Route } from '../../http/routes/route.ts'
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

const summaries = {
  revoke:
    'Revokes issued credentials permanently. Each credential has its own result; a repeated request changes nothing.',
  suspend: 'Suspends issued credentials until they are reinstated or revoked. Each credential has its own result.',
  reinstate: 'Ends the suspension of issued credentials. Each credential has its own result.',
} as const

const credentials = routeGroup({ group: 'creds', tag: 'issuances', scope: 'issuance:write', path: '/credentials' })

function changeAt(change: StatusTransition): Route {
  return credentials.post(`/${change.verb}`, {
    summary: summaries[change.verb],
    body: ChangeBody,
    reply: Type.Object({ results: Type.Array(Result) }, { $id: 'StandingResults' }),
    handle: async ({ platform, caller, body }) =>
      answer({ results: await changeStatuses(platform, caller, body.ids, change) }),
  })
}

/** Status changes of issued credentials, in our API. */
export const statusRoutes: readonly Route[] = statusTransitions.map(changeAt)
