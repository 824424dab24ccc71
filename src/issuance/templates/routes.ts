import { serveList } from '../../api/serve-list.ts'
import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type RouteContext, serve } from '../../http/routes/route.ts'
import {
  archiveCredentialTemplate,
  createCredentialTemplate,
  replaceCredentialTemplate,
  restoreCredentialTemplate,
} from './credential-templates.ts'
import { attributeViolations } from './read-template.ts'
import { type CredentialTemplate, typeKeyOf } from './template.ts'
import { latestTemplate } from './template-cache.ts'
import { listCredentialTemplates } from './template-store.ts'
import { showCredentialTemplate } from './template-view.ts'

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

const create = serve(
  credentialTemplates.create,
  ({ platform, caller, body, operation }) => {
    const find = (id: string) => latestTemplate(platform, caller.tenantId, id)
    const create = (id: string) => createCredentialTemplate(platform, caller, body, id)
    return replyOf({ platform, caller }, once(operation, find, create))
  },
  { moreViolations: attributeViolations },
)

const list = serveList(credentialTemplates.list, {
  read: ({ platform, caller }, list, { archived = 'false', name, type }) =>
    platform.store.single(caller.tenantId, (tx) => {
      const issuer = platform.urls.issuer(caller.tenantSlug)
      const types = type?.split(',').map((one) => typeKeyOf(issuer, one))
      return listCredentialTemplates(tx, list, { archived, name, types })
    }),
  show: (row, { platform, caller }) => showCredentialTemplate(row, platform.urls.issuer(caller.tenantSlug)),
})

const get = serve(credentialTemplates.get, ({ platform, caller, params }) =>
  replyOf({ platform, caller }, latestTemplate(platform, caller.tenantId, params.id)),
)

const replace = serve(
  credentialTemplates.replace,
  ({ platform, caller, params, body, headers }) => {
    const isExpected = unchangedSince(headers['if-match'])
    return replyOf({ platform, caller }, replaceCredentialTemplate(platform, caller, params.id, body, isExpected))
  },
  { moreViolations: attributeViolations },
)

const archive = serve(credentialTemplates.archive, ({ platform, caller, params }) =>
  replyOf({ platform, caller }, archiveCredentialTemplate(platform, caller, params.id)),
)

const restore = serve(credentialTemplates.restore, ({ platform, caller, params }) =>
  replyOf({ platform, caller }, restoreCredentialTemplate(platform, caller, params.id)),
)

/** Credential templates, in our API. */
export const templateRoutes = [create, list, get, replace, archive, restore]
