import type { PublicJwk } from '../../crypto/jwk.ts'
import { type IssuerKeySource, pickKey, readJwtVcIssuer } from '../../protocols/sd-jwt-vc/issuer-key.ts'
import { readFetched } from '../lookups/fetched-json.ts'
import type { TrustNeeds } from '../lookups/needs.ts'

const json = ['application/json']
const keySet = ['application/jwk-set+json', 'application/json']

/**
 * Returns the key that an issuer names in its JWT VC issuer metadata.
 *
 * @throws Fault `issuer.undiscoverable`, `upstream.*`
 * @see [SD-JWT VC, 4](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export async function metadataKey(
  needs: TrustNeeds,
  { issuer, url, kid }: IssuerKeySource & { readonly mechanism: 'jwt-vc-issuer' },
  now: Date,
): Promise<PublicJwk> {
  const found = await readFetched(needs, { url, accept: json, now }, (value) => {
    const keys = readJwtVcIssuer(value, issuer)
    return 'jwks' in keys ? { key: pickKey(keys.jwks, kid) } : keys
  })
  if ('key' in found) return found.key
  return readFetched(needs, { url: found.jwksUri, accept: keySet, now }, (value) => pickKey(value, kid))
}
