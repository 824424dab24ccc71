import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { listQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import { once } from '../../http/routes/operation.ts'
import { answer } from '../../http/routes/route.ts'
import { archiveCredentialTemplate } from './archive-template.ts'
import { createCredentialTemplate } from './create-template.ts'
import { replaceCredentialTemplate } from './replace-template.ts'
import { TemplateBody, TemplateView } from './schemas.ts'
import { latestTemplate } from './template-cache.ts'
import { listCredentialTemplates } from './template-store.ts'
import { showCredentialTemplate } from './template-view.ts'

const ListQuery = listQuery({
  sorts: ['createdAt', 'name'],
  searches: ['name'],
  filters: { archived: Type.Enum(['true', 'false'], { description: 'Archived templates instead of active ones.' }) },
})

const templates = routeGroup({
  ...{ group: 'creds', tag: 'credential templates', path: '/templates/credentials' },
  ...{ params: IdParams, reply: TemplateView },
  scope: { read: 'issuance:read', write: 'issuance:write' },
})

const create = templates.post('', {
  summary: 'Creates a credential template, which also publishes its type.',
  body: TemplateBody,
  status: 201,
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

const list = templates.list('', {
  summary: 'Lists the credential templates of the tenant.',
  query: ListQuery,
  read: ({ platform, caller }, list, { archived = 'false', name }) =>
    platform.store.single(caller.tenantId, (tx) => listCredentialTemplates(tx, list, { archived, name })),
  show: (row, { platform, caller }) => showCredentialTemplate(row, platform.urls.issuer(caller.tenantSlug)),
})

const get = templates.get('/{id}', {
  summary: 'Returns a credential template, also an archived one.',
  handle: async ({ platform, caller, params }) => {
    const found = await latestTemplate(platform, caller.tenantId, params.id)
    return answer(showCredentialTemplate(found, platform.urls.issuer(caller.tenantSlug)))
  },
})

const replace = templates.put('/{id}', {
  summary:
    'Replaces a credential template. Existing issuances keep the version they were created from; code, format, docType and revocable cannot be changed.',
  body: TemplateBody,
  faults: ['state.conflict'],
  handle: async ({ platform, caller, params, body }) => {
    const replaced = await replaceCredentialTemplate(platform, caller, params.id, body)
    return answer(showCredentialTemplate(replaced, platform.urls.issuer(caller.tenantSlug)))
  },
})

const archive = templates.delete('/{id}', {
  summary: 'Archives a credential template: nothing is issued from it any more, its type stays published.',
  handle: async ({ platform, caller, params }) => {
    const archived = await archiveCredentialTemplate(platform, caller, params.id)
    return answer(showCredentialTemplate(archived, platform.urls.issuer(caller.tenantSlug)))
  },
})

/** Credential templates, in our API. */
export const templateRoutes = [create, list, get, replace, archive]
