import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { listPage, listQuery } from '../../api/list.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type RouteContext, route } from '../../http/routes/route.ts'
import {
  archiveCredentialTemplate,
  createCredentialTemplate,
  replaceCredentialTemplate,
} from './credential-templates.ts'
import { attributeViolations } from './read-template.ts'
import { TemplateBody, TemplateView } from './schemas.ts'
import type { CredentialTemplate } from './template.ts'
import { latestTemplate } from './template-cache.ts'
import { listCredentialTemplates } from './template-store.ts'
import { showCredentialTemplate } from './template-view.ts'

const ListQuery = listQuery({
  sorts: ['createdAt', 'name'],
  searches: ['name'],
  filters: { archived: Type.Enum(['true', 'false'], { description: 'Archived templates instead of active ones.' }) },
})

const templates = { group: 'creds', tag: 'credential templates', path: '/templates/credentials' } as const
const template = {
  ...templates,
  path: '/templates/credentials/{id}',
  params: IdParams,
  status: 200,
  reply: TemplateView,
  faults: ['resource.unknown'],
} as const

type Context = Pick<RouteContext, 'platform' | 'caller'>

async function replyOf({ platform, caller }: Context, found: Promise<CredentialTemplate>) {
  return answer(showCredentialTemplate(await found, platform.urls.issuer(caller.tenantSlug)))
}

const create = route({
  ...templates,
  method: 'POST',
  summary: 'Creates a credential template, which also publishes its type.',
  scope: 'issuance:write',
  body: TemplateBody,
  moreViolations: attributeViolations,
  status: 201,
  reply: TemplateView,
  faults: ['state.conflict'],
  handle: ({ platform, caller, body, operation }) => {
    const find = (id: string) => latestTemplate(platform, caller.tenantId, id)
    const create = (id: string) => createCredentialTemplate(platform, caller, body, id)
    return replyOf({ platform, caller }, once(operation, find, create))
  },
})

const list = route({
  ...templates,
  method: 'GET',
  summary: 'Lists the credential templates of the tenant.',
  scope: 'issuance:read',
  query: ListQuery,
  status: 200,
  reply: Type.Array(TemplateView),
  faults: [],
  handle: ({ platform, caller, query, href }) => {
    const filter = { archived: query['filter[archived]'] ?? 'false', name: query['search[name]'] } as const
    const issuer = platform.urls.issuer(caller.tenantSlug)
    return listPage(
      { query, href },
      (list) => platform.store.single(caller.tenantId, (tx) => listCredentialTemplates(tx, list, filter)),
      (row) => showCredentialTemplate(row, issuer),
    )
  },
})

const get = route({
  ...template,
  method: 'GET',
  summary: 'Returns a credential template, also an archived one.',
  scope: 'issuance:read',
  handle: ({ platform, caller, params }) =>
    replyOf({ platform, caller }, latestTemplate(platform, caller.tenantId, params.id)),
})

const replace = route({
  ...template,
  method: 'PUT',
  summary:
    'Replaces a credential template. Existing issuances keep the version they were created from; code, format, docType and revocable cannot be changed.',
  scope: 'issuance:write',
  body: TemplateBody,
  moreViolations: attributeViolations,
  faults: ['resource.unknown', 'state.conflict'],
  handle: ({ platform, caller, params, body }) =>
    replyOf({ platform, caller }, replaceCredentialTemplate(platform, caller, params.id, body)),
})

const archive = route({
  ...template,
  method: 'DELETE',
  summary: 'Archives a credential template: nothing is issued from it any more, its type stays published.',
  scope: 'issuance:write',
  handle: ({ platform, caller, params }) =>
    replyOf({ platform, caller }, archiveCredentialTemplate(platform, caller, params.id)),
})

/** Credential templates, in our API. */
export const templateRoutes = [create, list, get, replace, archive]
