import type { IncomingHttpHeaders } from 'node:http'
import { checkProofAtResource, checkTokenBinding, currentDpopNonce } from '../../authorization/access/check-dpop.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { presentedToken } from '../../http/routes/bearer-token.ts'
import type { Platform } from '../../platform.ts'
import { type PresentedToken, readAccessToken } from '../offers/access-token.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls'>

/** An access token as a wallet presents it at an endpoint of the issuer. */
type Presented = {
  readonly headers: IncomingHttpHeaders
  /** Last segment of the address of the endpoint, which a DPoP proof names. */
  readonly endpoint: string
}

/**
 * Returns the parsed access token of a request, after the check that the wallet presents it as it was issued: a token
 * that is bound to a key with a proof of that key. A proof that comes with another token is verified, too. Expiry and
 * revocation are NOT checked here.
 *
 * @returns null: it is no token of the tenant, which the endpoint refuses
 * @throws Fault `token.missing`, `token.invalid`, `token.dpop_proof`, `token.dpop_nonce`
 * @see [RFC 9449, 7](https://www.rfc-editor.org/rfc/rfc9449#section-7)
 */
export async function readPresentedToken(
  needs: Needs,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  { headers, endpoint }: Presented,
): Promise<PresentedToken | null> {
  const { scheme, token } = presentedToken(headers.authorization)
  const proof = typeof headers.dpop === 'string' ? headers.dpop : undefined
  const granted = await readAccessToken(needs.sealing, tenant.id, token)
  if (granted === null) return null
  const request = { method: 'POST', url: `${needs.urls.issuer(tenant.slug)}/${endpoint}`, accessToken: token }
  await checkTokenBinding(needs, { tenantId: tenant.id, jkt: granted.jkt }, { scheme, proof }, request)
  if (scheme === 'Bearer' && proof !== undefined) await checkProofAtResource(needs, tenant.id, { ...request, proof })
  return granted
}

/** Returns the header with the nonce of the next proof, for wallets that send proofs. RFC 9449 8.2. */
export async function nextNonce(
  needs: Pick<Platform, 'sealing' | 'clock'>,
  { dpop }: IncomingHttpHeaders,
): Promise<Readonly<Record<string, string>>> {
  return dpop === undefined ? {} : { 'dpop-nonce': await currentDpopNonce(needs) }
}
