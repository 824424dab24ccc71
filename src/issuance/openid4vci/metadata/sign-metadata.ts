import { parseJsonObject } from '../../../crypto/json.ts'
import { signCompact } from '../../../crypto/jws.ts'
import type { Tenant } from '../../../directory/tenants/tenant.ts'
import type { Platform } from '../../../platform.ts'
import { toNumericDate } from '../../../protocols/numeric-date.ts'
import { tenantSigner } from '../../../trust/did/tenant-signer.ts'
import { credentialSigner } from '../../templates/credential-signer.ts'
import { type PublishedMetadata, publishIssuerMetadata } from './publish-metadata.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>

/**
 * Returns the issuer metadata of a tenant as a JWT, signed as its SD-JWT VCs are: with the active certificate, or with
 * the key that the tenant publishes itself. Signed anew once a minute at most.
 *
 * @see [OpenID4VCI 1.0, 12.2.3](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-signed-metadata)
 */
export async function signIssuerMetadata(
  needs: Needs,
  tenant: Tenant,
  acceptLanguage?: string,
): Promise<PublishedMetadata> {
  const { clock, urls, memory } = needs
  const { document, language } = await publishIssuerMetadata(needs, tenant, acceptLanguage)
  const open = { format: 'sd-jwt-vc', attributes: {}, revocable: true } as const
  const certified = await credentialSigner(needs, tenant, open)
  const own = certified === null ? await tenantSigner(needs, tenant) : null
  const key = own?.key ?? certified?.key
  if (key === undefined) throw new Error('neither a certificate nor a key')
  const cache = memory.cache<{ readonly of: string; readonly token: string }>('issuance.signed_metadata')
  const name = `${tenant.id}|${own?.kid ?? certified?.certificateId}|${language}`
  const cached = cache.get(name, clock.now())
  if (cached?.of === document) return { document: cached.token, language }
  const sub = urls.issuer(tenant.slug)
  const header = {
    typ: 'openidvci-issuer-metadata+jwt',
    ...(own === null ? { x5c: certified?.x5c } : { kid: own.kid }),
  }
  const claims = { ...parsed(document), iss: own?.iss ?? sub, sub, iat: toNumericDate(clock.now()) }
  const token = await signCompact(header, claims, key)
  cache.set(name, { of: document, token }, clock.now())
  return { document: token, language }
}

/** Of this server, so it may have more values than a foreign document. */
function parsed(document: string): object {
  return parseJsonObject(document, { valuesMax: Number.POSITIVE_INFINITY })
}
