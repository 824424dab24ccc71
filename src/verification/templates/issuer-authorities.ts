import type { TenantId } from '../../caller.ts'
import { toBase64url } from '../../crypto/base64url.ts'
import { readPem } from '../../crypto/x509/pem.ts'
import { dcqlLimits } from '../../protocols/dcql/query.ts'
import { type TrustSource, trustedEntitiesFor } from '../../trust/trusted-entities/tenant-trust.ts'
import type { TemplateCredential } from './presentation-template.ts'

/**
 * Returns the key identifiers of the certificates of `trustedIssuers`, as values of a trusted authority of the type
 * `aki`, for each credential of a template that has them in its query. More than a query may have are left out of it.
 *
 * @returns by the position of the credential
 * @see [OpenID4VP 1.0, 6.1.1.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-6.1.1.1)
 */
export async function issuerAuthoritiesOf(
  source: TrustSource,
  tenantId: TenantId,
  credentials: readonly TemplateCredential[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const found = new Map<number, readonly string[]>()
  for (const [position, { trustedIssuersInQuery, trustedIssuers = [] }] of credentials.entries()) {
    if (trustedIssuersInQuery !== true) continue
    const entities = await trustedEntitiesFor(source, tenantId, 'issuer', trustedIssuers)
    const keyIds = entities.flatMap(({ certificates }) =>
      certificates.flatMap((pem) => readPem(pem).extensions.subjectKeyId ?? []),
    )
    if (keyIds.length > 0 && keyIds.length <= dcqlLimits.valuesMax) found.set(position, keyIds.map(toBase64url))
  }
  return found
}
