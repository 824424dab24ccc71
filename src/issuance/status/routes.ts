import { Type } from 'typebox'
import { routeGroup } from '../../api/route-group.ts'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { findChangeable } from '../issuances/get-issuance.ts'
import { credentialStatuses, statusReasons } from '../issuances/schemas.ts'
import { changeStatuses } from './change-status.ts'
import { type StatusTransition, statusTransitions } from './credential-status.ts'

const IDS_MAX = 1000

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
        ...{ additionalProperties: false, minProperties: 1 },
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

const summaries = {
  revoke:
    'Revokes issued credentials permanently. Each credential has its own result; a repeated request changes nothing.',
  suspend: 'Suspends issued credentials until they are reinstated or revoked. Each credential has its own result.',
  reinstate: 'Ends the suspension of issued credentials. Each credential has its own result.',
} as const

const credentials = routeGroup({ group: 'creds', tag: 'issuances', scope: 'issuance:write', path: '/credentials' })

type Asked = Type.Static<typeof ChangeBody>

function changeAt(change: StatusTransition): Route {
  return credentials.post(`/${change.verb}`, {
    operationId: `${change.verb}Credentials`,
    summary: summaries[change.verb],
    body: change.verb === 'reinstate' ? ReinstateBody : ChangeBody,
    reply: Type.Object({ results: Type.Array(Result) }, { $id: 'StandingResults' }),
    meta: Type.Object({
      more: Type.Optional(Type.Boolean({ description: 'With a filter: whether more credentials match it.' })),
    }),
    handle: async ({ platform, caller, body }) => {
      const { reason, ...asked }: Asked = body
      const ids = await idsOf(platform, caller, asked, change)
      const first = ids.slice(0, IDS_MAX)
      const results =
        first.length === 0 ? [] : await changeStatuses(platform, caller, first, { ...change, reason: reason ?? null })
      return answer({ results }, asked.filter === undefined ? {} : { meta: { more: ids.length > IDS_MAX } })
    },
  })
}

async function idsOf(
  platform: Pick<Platform, 'store' | 'clock'>,
  caller: Caller,
  { ids, filter }: Asked,
  { from }: StatusTransition,
): Promise<readonly string[]> {
  if (ids !== undefined && filter === undefined) return ids
  if (filter !== undefined && ids === undefined)
    return findChangeable(platform, caller, filter, { standings: from, countMax: IDS_MAX })
  const detail = 'Give either ids or a filter.'
  throw new Fault('request.invalid', { violations: [{ detail, pointer: '/ids' }] })
}

/** Status changes of issued credentials, in our API. */
export const statusRoutes: readonly Route[] = statusTransitions.map(changeAt)
