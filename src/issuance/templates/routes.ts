import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { listQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type RouteContext } from '../../http/routes/route.ts'
import {
  archiveCredentialTemplate,
  createCredentialTemplate,
  replaceCredentialTemplate,
  restoreCredentialTemplate,
} from './credential-templates.ts'
import { attributeViolations } from './read-template.ts'
import { TemplateBody, TemplateView } from './schemas.ts'
import { type CredentialTemplate, typeKeyOf } from './template.ts'
import { latestTemplate } from './template-cache.ts'
import { listCredentialTemplates } from './template-store.ts'
import { showCredentialTemplate } from './template-view.ts'

const ListQuery = listQuery({
  sorts: ['createdAt', 'name'],
  searches: ['name'],
  filters: {
    archived: Type.Enum(['true', 'false'], { description: 'Archived templates instead of active ones.' }),
    type: Type.String({
      ...{ minLength: 1, maxLength: 5000 },
      description: 'Only those of this type, a VCT or document type, or of one of several separated by commas.',
    }),
  },
})

const templates = routeGroup({
  ...{ group: 'creds', tag: 'credential templates', path: '/templates/credentials' },
  ...{ params: IdParams, reply: TemplateView },
  replyHeaders: ['ETag'],
  scope: { read: 'issuance:read', write: 'issuance:write' },
})

type Context = Pick<RouteContext, 'platform' | 'caller'>

async function replyOf({ platform, caller }: Context, found: Promise<CredentialTemplate>) {
  const template = await found
  const shown = showCredentialTemplate(template, platform.urls.issuer(caller.tenantSlug))
  return answer(shown, { headers: { etag: tagOf(template) } })
}

function tagOf({ id, version, archivedAt }: CredentialTemplate): string {
  return entityTagOf(`${id} ${version} ${archivedAt?.toISOString()}`)
}

/** RFC 9110 13.1.1: whether the template is still the one that the caller read. */
function unchangedSince(ifMatch: string | undefined) {
  return ifMatch === undefined ? undefined : (current: CredentialTemplate) => isSame(ifMatch, tagOf(current))
}

const create = templates.post('', {
  summary:
    'Creates a credential template, which also publishes its type: ' +
    'in public metadata, and in the list of types of all tenants where `typeListing` is `listed`.',
  body: TemplateBody,
  moreViolations: attributeViolations,
  status: 201,
  faults: ['state.conflict', 'reference.unknown'],
  handle: ({ platform, caller, body, operation }) => {
    const find = (id: string) => latestTemplate(platform, caller.tenantId, id)
    const create = (id: string) => createCredentialTemplate(platform, caller, body, id)
    return replyOf({ platform, caller }, once(operation, find, create))
  },
})

const list = templates.list('', {
  summary: 'Lists the credential templates of the tenant.',
  query: ListQuery,
  read: ({ platform, caller }, list, { archived = 'false', name, type }) =>
    platform.store.single(caller.tenantId, (tx) => {
      const issuer = platform.urls.issuer(caller.tenantSlug)
      const types = type?.split(',').map((one) => typeKeyOf(issuer, one))
      return listCredentialTemplates(tx, list, { archived, name, types })
    }),
  show: (row, { platform, caller }) => showCredentialTemplate(row, platform.urls.issuer(caller.tenantSlug)),
})

const get = templates.get('/{id}', {
  summary: 'Returns a credential template, also an archived one.',
  handle: ({ platform, caller, params }) =>
    replyOf({ platform, caller }, latestTemplate(platform, caller.tenantId, params.id)),
})

const replace = templates.put('/{id}', {
  summary:
    'Replaces a credential template. Existing issuances keep the version they were created from; code, format, docType and revocable cannot be changed.',
  body: TemplateBody,
  moreViolations: attributeViolations,
  ifMatch: true,
  faults: ['state.conflict', 'resource.changed', 'reference.unknown'],
  handle: ({ platform, caller, params, body, headers }) => {
    const isExpected = unchangedSince(headers['if-match'])
    return replyOf({ platform, caller }, replaceCredentialTemplate(platform, caller, params.id, body, isExpected))
  },
})

const archive = templates.delete('/{id}', {
  operationId: 'archiveCredentialTemplate',
  summary: 'Archives a credential template: nothing is issued from it any more, its type stays published.',
  handle: ({ platform, caller, params }) =>
    replyOf({ platform, caller }, archiveCredentialTemplate(platform, caller, params.id)),
})

const restore = templates.post('/{id}/restore', {
  summary: 'Makes an archived credential template active again.',
  handle: ({ platform, caller, params }) =>
    replyOf({ platform, caller }, restoreCredentialTemplate(platform, caller, params.id)),
})

/** Credential templates, in our API. */
export const templateRoutes = [create, list, get, replace, archive, restore]
