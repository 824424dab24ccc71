import type { Static } from 'typebox'
import { serveList } from '../../api/serve-list.ts'
import { credentialTypes, type TypeReply } from '../../contract/issuance/types.ts'
import type { Platform } from '../../platform.ts'
import { wellKnownUrl } from '../../protocols/openid4vci/well-known.ts'
import { listPublishedTypes, type PublishedType } from './published-type-store.ts'

// Public data, without a scope: type metadata and issuer metadata publish the same.
const list = serveList(credentialTypes.list, {
  read: ({ platform: { store, urls }, caller: { tenantId } }, list, filters) =>
    store.across('types of all listed tenants', (tx) =>
      listPublishedTypes(tx, tenantId, urls.issuer(''), list, filters),
    ),
  show: (row, { platform }) => showType(platform.urls, row),
})

/** The types of the deployment that the caller may find, in our API. */
export const typeRoutes = [list]

function showType(urls: Platform['urls'], row: PublishedType): Static<typeof TypeReply> {
  const { id, type, name, description, issuerSlug, issuerName } = row
  const issuer = urls.issuer(issuerSlug)
  return {
    id,
    type,
    format: row.format,
    name,
    description,
    issuer: { id: issuer, name: issuerName, metadataUrl: wellKnownUrl(issuer, 'openid-credential-issuer') },
    metadataUrl: row.format === 'mdoc' ? null : type,
  }
}
