import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { listPage, listQuery } from '../../api/list.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, route } from '../../http/routes/route.ts'
import { archiveTemplate } from './archive-template.ts'
import { createTemplate } from './create-template.ts'
import { replaceTemplate } from './replace-template.ts'
import { TemplateBody, TemplateView } from './schemas.ts'
import { freshTemplate } from './template-cache.ts'
import { listTemplates } from './template-store.ts'
import { showTemplate } from './template-view.ts'

const ListQuery = listQuery({
  sorts: ['createdAt', 'name'],
  searches: ['name'],
  filters: { archived: Type.Enum(['true', 'false'], { description: 'Archived ones instead of the active ones.' }) },
})

const create = route({
  group: 'creds',
  method: 'POST',
  path: '/templates/credentials',
  tag: 'credential templates',
  says: 'Creates a credential template, which also publishes its type.',
  needs: 'issuance:write',
  body: TemplateBody,
  status: 201,
  reply: TemplateView,
  faults: ['state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    const created = await once(
      operation,
      (id) => freshTemplate(platform, caller.tenantId, id),
      (id) => createTemplate(platform, caller, body, id),
    )
    return answer(showTemplate(created, platform.urls.issuer(caller.tenantSlug)))
  },
})

const list = route({
  group: 'creds',
  method: 'GET',
  path: '/templates/credentials',
  tag: 'credential templates',
  says: 'Lists the credential templates of the tenant.',
  needs: 'issuance:read',
  query: ListQuery,
  status: 200,
  reply: Type.Array(TemplateView),
  faults: [],
  handle: ({ platform, caller, query, href }) => {
    const filter = { archived: query['filter[archived]'] ?? 'false', name: query['search[name]'] } as const
    const issuer = platform.urls.issuer(caller.tenantSlug)
    return listPage(
      { query, href },
      (list) => platform.store.single(caller.tenantId, (tx) => listTemplates(tx, list, filter)),
      (row) => showTemplate(row, issuer),
    )
  },
})

const get = route({
  group: 'creds',
  method: 'GET',
  path: '/templates/credentials/{id}',
  tag: 'credential templates',
  says: 'Reads a credential template; an archived one too.',
  needs: 'issuance:read',
  params: IdParams,
  status: 200,
  reply: TemplateView,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => {
    const found = await freshTemplate(platform, caller.tenantId, params.id)
    return answer(showTemplate(found, platform.urls.issuer(caller.tenantSlug)))
  },
})

const replace = route({
  group: 'creds',
  method: 'PUT',
  path: '/templates/credentials/{id}',
  tag: 'credential templates',
  says: 'Replaces a credential template as a whole. Open offers keep what they were made with; code, format, docType and revocable are fixed.',
  needs: 'issuance:write',
  params: IdParams,
  body: TemplateBody,
  status: 200,
  reply: TemplateView,
  faults: ['resource.unknown', 'state.conflict'],
  handle: async ({ platform, caller, params, body }) => {
    const replaced = await replaceTemplate(platform, caller, params.id, body)
    return answer(showTemplate(replaced, platform.urls.issuer(caller.tenantSlug)))
  },
})

const archive = route({
  group: 'creds',
  method: 'DELETE',
  path: '/templates/credentials/{id}',
  tag: 'credential templates',
  says: 'Archives a credential template: nothing is offered from it any more, its type stays published.',
  needs: 'issuance:write',
  params: IdParams,
  status: 200,
  reply: TemplateView,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => {
    const archived = await archiveTemplate(platform, caller, params.id)
    return answer(showTemplate(archived, platform.urls.issuer(caller.tenantSlug)))
  },
})

/** Credential templates, in our API. */
export const templateRoutes = [create, list, get, replace, archive]
