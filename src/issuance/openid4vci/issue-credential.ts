import { encryptCompact } from '../../crypto/jwe.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import {
  type CredentialRequest,
  PROOFS_MAX,
  readCredentialRequest,
} from '../../protocols/openid4vci/credential-request.ts'
import { deferCredential } from '../deferral/defer-credential.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import type { PresentedToken } from '../offers/access-token.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import { templateVersion } from '../templates/template-cache.ts'
import { issueCopies } from './issue-copies.ts'
import { proveKeys } from './prove-keys.ts'
import { openRequest, type ReceivedBody } from './request-encryption.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'keys' | 'clock' | 'urls' | 'config' | 'memory' | 'fetch'>
type Origin = { readonly ip: string; readonly requestId: string }

/** The response, encrypted where the wallet asked for it. 202: the credential is deferred. */
export type IssuedResponse = {
  readonly status: 200 | 202
  readonly type?: 'application/jwt'
  readonly body: object | string
}

/**
 * Issues copies of one credential at the credential endpoint, each bound to a key that the wallet proved to hold.
 *
 * One statement binds the keys, spends the nonce, takes the status list entries and completes the issuance. Signing
 * follows outside of any transaction; if it fails, the reservation is reinstated. A request with the same token and
 * keys gets the same content and entries until the token ends, so a lost response loses no credential.
 *
 * @param ask `granted`: the access token; null: it is not valid.
 * @throws Fault `token.invalid`, `credential_request.*`, `credential_configuration.unknown`,
 *   `credential_identifier.unknown`, `key_proof.invalid`, `nonce.invalid`, `credential_encryption.unsupported`,
 *   `certificate.none_active`
 * @see [OpenID4VCI 1.0, 8](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-endpoint)
 */
export async function issueCredential(
  needs: Needs,
  tenant: Tenant,
  ask: ReceivedBody & { readonly granted: PresentedToken | null },
  from: Origin,
): Promise<IssuedResponse> {
  const now = needs.clock.now()
  const { granted } = ask
  if (granted === null || granted.expiresAt <= now) throw new Fault('token.invalid')
  const request = await readRequest(needs, tenant, ask)
  const template = await templateVersion(needs, tenant.id, granted.templateId, granted.templateVersion)
  checkCovered(request, granted, template)
  const keys = await proveKeys(needs, tenant, { ...request, clientId: granted.clientId }, template, now)
  const { responseEncryption } = request
  if (template.definition.approvalRequired === true) {
    const deferred = await deferCredential(needs, tenant, { granted, keys, from }, now)
    if (deferred !== null) return encrypted({ status: 202, body: deferred }, responseEncryption)
  }
  const response = await issueCopies(needs, tenant, { granted, template, keys, from })
  return encrypted({ status: 200, body: response }, responseEncryption)
}

/** [VCI-C13] Returns the response as the wallet asked for it. @param recipient null: unencrypted */
export function encrypted(
  response: { readonly status: 200 | 202; readonly body: object },
  recipient: CredentialRequest['responseEncryption'],
): IssuedResponse {
  if (recipient === null) return response
  return { ...response, type: 'application/jwt', body: encryptCompact(JSON.stringify(response.body), recipient) }
}

async function readRequest(needs: Needs, tenant: Tenant, received: ReceivedBody): Promise<CredentialRequest> {
  const { body, isEncrypted } = await openRequest(needs, tenant, received)
  const request = readCredentialRequest(body, PROOFS_MAX, isEncrypted)
  if (request.responseEncryption === null && policyOf(tenant).issuing.requiresEncryption) {
    throw new Fault('credential_encryption.unsupported', { detail: 'credential_response_encryption is missing.' })
  }
  return request
}

/**
 * Requires the request to name the credential of the token: by its identifier, or by its configuration.
 *
 * OpenID4VCI 1.0, 8.2 has the wallet use the identifiers of the token response where there are any [VCI-C1]. A token of
 * this issuer stands for one credential, so its configuration names the same one; wallets that send it (multipaz) are
 * answered.
 */
function checkCovered(request: CredentialRequest, granted: PresentedToken, template: CredentialTemplate): void {
  const { credentialIdentifier, configurationId } = request
  if (configurationId !== null) {
    // OpenID4VCI 1.0, 8.3.1.2: also where identifiers were given
    if (configurationId !== template.code) throw new Fault('credential_configuration.unknown')
    return
  }
  if (!granted.identified || credentialIdentifier !== credentialIdOf(granted.id))
    throw new Fault('credential_identifier.unknown')
}
