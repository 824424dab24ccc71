import type { JsonObject } from '../crypto/json.ts'
import type { Tenant } from '../directory/tenant.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import type { ProvedKey } from '../protocols/openid4vci/jwt-proof.ts'
import { issueSdJwtVc } from '../protocols/sd-jwt-vc/issue-sd-jwt-vc.ts'
import { buildStatusClaim } from '../protocols/status-list/status-claim.ts'
import type { Copy } from './credential-store.ts'
import { statusListUri } from './publish-status-list.ts'
import { type Template, vctOf } from './template.ts'
import { validityOf } from './validity.ts'

type Needs = Pick<Platform, 'keys' | 'urls' | 'clock'>

/** What is signed: the same content for each key, with its own salts and its own entry in a status list. [VCI-C15] */
export type Signing = {
  readonly template: Template
  readonly claims: JsonObject
  readonly issuedAt: Date
  readonly copies: readonly Copy[]
  readonly keys: readonly ProvedKey[]
}

/**
 * Signs the copies of a credential with the tenant's did:web key. `iss` is the DID, `kid` names the key in its document.
 *
 * @throws Fault `credential_request.denied` if the credential would be out of date
 */
export async function signCopies({ keys, urls, clock }: Needs, tenant: Tenant, signing: Signing): Promise<string[]> {
  const { template, claims, issuedAt, copies } = signing
  const { iat, nbf, exp } = validityOf(template.definition, issuedAt)
  if (exp !== undefined && exp <= clock.now()) throw new Fault('credential_request.denied')
  const key = await keys.current(tenant.id, 'credential')
  const issuer = urls.issuer(tenant.slug)
  const iss = urls.did(tenant.slug)
  const draft = {
    claims,
    disclosure: template.definition.attributes,
    vct: vctOf(issuer, template.code),
    ...{ iss, iat, nbf, exp },
    header: { kid: `${iss}#${key.kid}` },
  }
  return signing.keys.map(({ jwk }, at) => {
    const slot = copies[at]?.slot ?? null
    const status = slot && buildStatusClaim({ uri: statusListUri(issuer, slot.listId), index: slot.index })
    return issueSdJwtVc({ ...draft, cnfJwk: jwk, ...(status && { status }) }, key)
  })
}
