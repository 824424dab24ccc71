import type { ListRequest } from '../api/list.ts'
import { type Caller, holds } from '../caller.ts'
import type { SearchReply } from '../contract/events/statistics.ts'
import { listUsers } from '../directory/users/list-users.ts'
import { displayName } from '../directory/users/user.ts'
import { findIssuances } from '../issuance/issuances/get-issuance.ts'
import type { Platform } from '../platform.ts'
import { isUuid } from '../uuid.ts'
import { namesOfPresentationTemplates } from '../verification/requests/origins/origins.ts'
import { findRequests } from '../verification/requests/presentation-requests.ts'

/** Found things of one kind. */
const HITS_MAX = 10
const page: ListRequest = {
  size: HITS_MAX,
  after: null,
  before: null,
  readDescending: true,
  sort: { field: 'createdAt', descending: true },
}

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing'>
type Hit = SearchReply[number]

/**
 * Finds people, issuances and presentation requests of a tenant, as far as the scopes of the caller allow. Each is read
 * along an index.
 */
export async function search(needs: Needs, caller: Caller, asked: string): Promise<SearchReply> {
  const q = asked.trim()
  if (q === '') return []
  const found = await Promise.all([
    holds(caller, 'users:read') ? people(needs, caller, q) : [],
    holds(caller, 'issuance:read') ? issuances(needs, caller, q) : [],
    holds(caller, 'verification:read') ? requests(needs, caller, q) : [],
  ])
  return found.flat()
}

async function people(needs: Needs, { tenantId }: Caller, q: string): Promise<Hit[]> {
  const found = await Promise.all(
    (['username', 'email', 'name'] as const).map((key) => listUsers(needs, tenantId, page, { [key]: q })),
  )
  const each = new Map(found.flatMap(({ rows }) => rows).map((user) => [user.id, user]))
  return [...each.values()].slice(0, HITS_MAX).map((user) => {
    const status = user.enabled ? 'enabled' : 'disabled'
    const createdAt = user.createdAt.toISOString()
    return { kind: 'user', id: user.username, name: displayName(user), status, createdAt }
  })
}

async function issuances(needs: Needs, caller: Caller, q: string): Promise<Hit[]> {
  const ways = isUuid(q) ? [{ id: q.toLowerCase() }] : [{ referencePrefix: q }, { name: q }]
  const found = await Promise.all(ways.map((by) => findIssuances(needs, caller, page, by)))
  const each = new Map(found.flat().map((one) => [one.id, one]))
  return [...each.values()].slice(0, HITS_MAX).map(({ id, templateName, reference, status, createdAt }) => ({
    kind: 'issuance' as const,
    id,
    name: templateName,
    status,
    createdAt: createdAt.toISOString(),
    ...(reference !== null && { reference }),
  }))
}

async function requests(needs: Needs, caller: Caller, q: string): Promise<Hit[]> {
  const found = await findRequests(needs, caller, page, isUuid(q) ? { id: q.toLowerCase() } : { reference: q })
  const ids = [...new Set(found.map(({ templateId }) => templateId))]
  const names = await needs.store.inTenant(caller.tenantId, (tx) => namesOfPresentationTemplates(tx, ids))
  return found.map(({ id, templateId, reference, status, createdAt }) => ({
    kind: 'presentationRequest' as const,
    id,
    name: names.get(templateId) ?? '',
    status,
    createdAt: createdAt.toISOString(),
    ...(reference !== null && { reference }),
  }))
}
