import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { listPage, listQuery } from '../../api/list.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, route } from '../../http/routes/route.ts'
import {
  archiveCredentialTemplate,
  createCredentialTemplate,
  replaceCredentialTemplate,
} from './credential-templates.ts'
import { attributeViolations } from './read-template.ts'
import { TemplateBody, TemplateView } from './schemas.ts'
import { latestTemplate } from './template-cache.ts'
import { listCredentialTemplates } from './template-store.ts'
import { showCredentialTemplate } from './template-view.ts'

const ListQuery = listQuery({
  sorts: ['createdAt', 'name'],
  searches: ['name'],
  filters: { archived: Type.Enum(['true', 'false'], { description: 'Archived templates instead of active ones.' }) },
})

const templates = { group: 'creds', tag: 'credential templates' } as const

const create = route({
  ...templates,
  method: 'POST',
  path: '/templates/credentials',
  summary: 'Creates a credential template, which also publishes its type.',
  scope: 'issuance:write',
  body: TemplateBody,
  moreViolations: attributeViolations,
  status: 201,
  reply: TemplateView,
  faults: ['state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    const created = await once(
      operation,
      (id) => latestTemplate(platform, caller.tenantId, id),
      (id) => createCredentialTemplate(platform, caller, body, id),
    )
    return answer(showCredentialTemplate(created, platform.urls.issuer(caller.tenantSlug)))
  },
})

const list = route({
  ...templates,
  method: 'GET',
  path: '/templates/credentials',
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
  ...templates,
  method: 'GET',
  path: '/templates/credentials/{id}',
  summary: 'Returns a credential template, also an archived one.',
  scope: 'issuance:read',
  params: IdParams,
  status: 200,
  reply: TemplateView,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => {
    const found = await latestTemplate(platform, caller.tenantId, params.id)
    return answer(showCredentialTemplate(found, platform.urls.issuer(caller.tenantSlug)))
  },
})

const replace = route({
  ...templates,
  method: 'PUT',
  path: '/templates/credentials/{id}',
  summary:
    'Replaces a credential template. Existing issuances keep the version they were created from; code, format, docType and revocable cannot be changed.',
  scope: 'issuance:write',
  params: IdParams,
  body: TemplateBody,
  moreViolations: attributeViolations,
  status: 200,
  reply: TemplateView,
  faults: ['resource.unknown', 'state.conflict'],
  handle: async ({ platform, caller, params, body }) => {
    const replaced = await replaceCredentialTemplate(platform, caller, params.id, body)
    return answer(showCredentialTemplate(replaced, platform.urls.issuer(caller.tenantSlug)))
  },
})

const archive = route({
  ...templates,
  method: 'DELETE',
  path: '/templates/credentials/{id}',
  summary: 'Archives a credential template: nothing is issued from it any more, its type stays published.',
  scope: 'issuance:write',
  params: IdParams,
  status: 200,
  reply: TemplateView,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => {
    const archived = await archiveCredentialTemplate(platform, caller, params.id)
    return answer(showCredentialTemplate(archived, platform.urls.issuer(caller.tenantSlug)))
  },
})

/** Credential templates, in our API. */
export const templateRoutes = [create, list, get, replace, archive]
