import type { Caller } from '../../caller.ts'
import { IDS_MAX, type StatusChange, statusChanges } from '../../contract/issuance/status-changes.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { findChangeable } from '../issuances/get-issuance.ts'
import { changeStatuses } from './change-status.ts'
import { type StatusTransition, statusTransitions } from './credential-status.ts'

function changeRoute(change: StatusTransition): Route {
  return serve(statusChanges[change.verb], async ({ platform, caller, body }) => {
    const { reason, ...asked }: StatusChange = body
    const ids = await idsOf(platform, caller, asked, change)
    const first = ids.slice(0, IDS_MAX)
    const made = { ...change, reason: reason ?? null, by: caller }
    const results = first.length === 0 ? [] : await changeStatuses(platform, caller.tenantId, first, made)
    return answer({ results }, asked.filter === undefined ? {} : { meta: { more: ids.length > IDS_MAX } })
  })
}

async function idsOf(
  platform: Pick<Platform, 'store' | 'clock' | 'sealing'>,
  caller: Caller,
  { ids, filter }: StatusChange,
  { from }: StatusTransition,
): Promise<readonly string[]> {
  if (ids !== undefined && filter === undefined) return ids
  if (filter !== undefined && ids === undefined)
    return findChangeable(platform, caller, filter, { standings: from, countMax: IDS_MAX })
  const detail = 'Give either ids or a filter.'
  throw new Fault('request.invalid', { violations: [{ detail, pointer: '/ids' }] })
}

/** Status changes of issued credentials, in our API. */
export const statusRoutes: readonly Route[] = statusTransitions.map(changeRoute)
