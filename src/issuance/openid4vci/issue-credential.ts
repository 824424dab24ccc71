import { type JsonObject, readOwnJson } from '../../crypto/json.ts'
import { encryptCompact } from '../../crypto/jwe.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import {
  type CredentialRequest,
  PROOFS_MAX,
  readCredentialRequest,
} from '../../protocols/openid4vci/credential-request.ts'
import { buildCredentialResponse } from '../../protocols/openid4vci/credential-response.ts'
import type { ProvedKey } from '../../protocols/openid4vci/jwt-proof.ts'
import { signerOfAuthority } from '../../trust/certificates/active-signer.ts'
import { tenantSigner, tenantSignerNamed } from '../../trust/did/tenant-signer.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import { type PresentedToken, readAccessToken } from '../offers/access-token.ts'
import type { ListKind } from '../status/status-entries.ts'
import { fitsCertificate } from '../templates/check-elements.ts'
import { credentialSigner, signerCertificateOf } from '../templates/credential-signer.ts'
import type { CredentialTemplate, TemplateDefinition } from '../templates/template.ts'
import { templateVersion } from '../templates/template-cache.ts'
import { type Bound, findClaims, reinstateReservation } from './credential-store.ts'
import { proveKeys } from './prove-keys.ts'
import { openRequest, type ReceivedBody, requiresEncryption } from './request-encryption.ts'
import { reserveCopies } from './reserve-copies.ts'
import { type CopySigner, signCopies } from './sign-copies.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'keys' | 'clock' | 'urls' | 'config' | 'memory' | 'fetch'>
type Origin = { readonly ip: string; readonly requestId: string }

/** The response, encrypted where the wallet asked for it. */
type IssuedResponse = { readonly type?: 'application/jwt'; readonly body: object | string }

/**
 * Issues copies of one credential at the credential endpoint, each bound to a key that the wallet proved to hold.
 *
 * One statement binds the keys, spends the nonce, takes the status list entries and completes the issuance. Signing follows outside of any
 * transaction; if it fails, the reservation is reinstated. A request with the same token and keys gets the same content and entries until the
 * token ends, so a lost response loses no credential.
 *
 * @param token Access token.
 * @throws Fault `token.invalid`, `credential_request.*`, `credential_configuration.unknown`, `credential_identifier.unknown`,
 * `key_proof.invalid`, `nonce.invalid`, `credential_encryption.unsupported`, `certificate.none_active`
 * @see [OpenID4VCI 1.0, 8](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-endpoint)
 */
export async function issueCredential(
  needs: Needs,
  tenant: Tenant,
  ask: ReceivedBody & { readonly token: string },
  from: Origin,
): Promise<IssuedResponse> {
  const now = needs.clock.now()
  const granted = await readAccessToken(needs.sealing, tenant.id, ask.token)
  if (granted === null || granted.expiresAt <= now) throw new Fault('token.invalid')
  const request = await readRequest(needs, tenant, ask)
  const template = await templateVersion(needs, tenant.id, granted.templateId, granted.templateVersion)
  checkCovered(request, granted, template)
  const keys = await proveKeys(needs, tenant, { ...request, clientId: granted.clientId }, template, now)
  const signer = await signerOf(needs, tenant, granted, template.definition)
  const listKind = { bits: template.definition.format === 'mdoc' ? 1 : 2, ...authorityOf(signer) } as const
  const entry = completedBy(granted, from)
  const { revocable } = template.definition
  const bound = await reserveCopies(needs, tenant, { granted, revocable, listKind, entry, ...keys }, now)
  const sign = async () => {
    const by = await signerOfCopies(needs, tenant, signer, bound)
    const claims = await openClaims(needs, tenant, granted, bound.sealedClaims)
    return signCopies(needs, tenant, by, { ...bound, template, claims, keys: keys.bound })
  }
  const signed = await signOrReinstate(needs, tenant, entry, sign)
  const response = buildCredentialResponse(inOrder(keys.requested, keys.bound, signed), credentialIdOf(granted.id))
  const { responseEncryption } = request
  if (responseEncryption === null) return { body: response }
  // [VCI-C13]
  return { type: 'application/jwt', body: encryptCompact(JSON.stringify(response), responseEncryption) }
}

async function readRequest(needs: Needs, tenant: Tenant, received: ReceivedBody): Promise<CredentialRequest> {
  const { body, isEncrypted } = await openRequest(needs, tenant, received)
  const request = readCredentialRequest(body, PROOFS_MAX, isEncrypted)
  if (request.responseEncryption === null && requiresEncryption(tenant)) {
    throw new Fault('credential_encryption.unsupported', { detail: 'credential_response_encryption is missing.' })
  }
  return request
}

/** Returns the signer before anything is reserved: the wallet may repeat a refused request. The response does not say what is missing. */
async function signerOf(
  needs: Needs,
  tenant: Tenant,
  granted: PresentedToken,
  definition: TemplateDefinition,
): Promise<CopySigner> {
  const signer = await credentialSigner(needs, tenant, definition).catch((cause: unknown) => {
    if (!(cause instanceof Fault) || cause.code !== 'certificate.none_active') throw cause
    throw new Fault('certificate.none_active', { ...(cause.detail !== undefined && { notes: cause.detail }), cause })
  })
  if (signer === null) return tenantSigner(needs, tenant)
  if (definition.format !== 'mdoc') return signer
  const sealed = await needs.store.single(tenant.id, (tx) => findClaims(tx, granted, needs.clock.now()))
  if (sealed === null) throw new Fault('credential_request.denied')
  const claims = await openClaims(needs, tenant, granted, sealed)
  if (fitsCertificate(definition, claims, signerCertificateOf(signer))) return signer
  throw new Fault('credential_request.denied', { notes: 'the active certificate names another country than the mdoc' })
}

/**
 * [TS-10] Returns the signer of the copies' status lists, which signs the copies too. It is a former signer if the request is repeated and the
 * active certificate or key has changed since.
 */
async function signerOfCopies(
  needs: Needs,
  tenant: Tenant,
  signer: CopySigner,
  { entries }: Bound,
): Promise<CopySigner> {
  const current = authorityOf(signer)
  if (entries === null) return signer
  const { authorityId, kid } = entries
  if (authorityId === current.authorityId && kid === current.kid) return signer
  const former =
    authorityId === null
      ? await tenantSignerNamed(needs, tenant, kid ?? '')
      : await signerOfAuthority(needs, tenant.id, authorityId)
  if (former === null)
    throw new Fault('credential_request.denied', { notes: 'the former signer is no longer available' })
  return former
}

function authorityOf(signer: CopySigner): Pick<ListKind, 'authorityId' | 'kid'> {
  return 'x5c' in signer ? { authorityId: signer.authorityId, kid: null } : { authorityId: null, kid: signer.kid }
}

/** [VCI-C1] Requires the credential identifier if the token response named one, else the configuration. */
function checkCovered(request: CredentialRequest, granted: PresentedToken, template: CredentialTemplate): void {
  const { credentialIdentifier, configurationId } = request
  if (granted.identified) {
    if (credentialIdentifier === null) {
      throw new Fault('credential_request.invalid', {
        detail: 'The request must name the credential_identifier of the token response.',
      })
    }
    if (credentialIdentifier !== credentialIdOf(granted.id)) throw new Fault('credential_identifier.unknown')
    return
  }
  if (configurationId === null) throw new Fault('credential_identifier.unknown')
  if (configurationId !== template.code) throw new Fault('credential_configuration.unknown')
}

/** Returns the credentials in the order of the proofs. */
function inOrder(
  requested: readonly ProvedKey[],
  bound: readonly ProvedKey[],
  credentials: readonly string[],
): string[] {
  if (requested.length === 1) return [...credentials]
  const byKey = new Map(bound.map(({ thumbprint }, at) => [thumbprint, credentials[at]]))
  return requested.flatMap(({ thumbprint }) => byKey.get(thumbprint) ?? [])
}

async function openClaims(
  { sealing }: Needs,
  tenant: Tenant,
  { id }: PresentedToken,
  sealed: Buffer,
): Promise<JsonObject> {
  const place = { tenantId: tenant.id, table: 'issuance', column: 'sealed_claims', row: id }
  // Sealed by this server, from a JSON object.
  return readOwnJson(await sealing.open(place, sealed)) as JsonObject
}

/**
 * Signs; on failure reinstates the reservation, unless another request has reserved the same copies meanwhile, so that the wallet may repeat
 * its request with the same token. @throws the error of the signer
 */
async function signOrReinstate(
  needs: Needs,
  tenant: Tenant,
  completed: AuditEntry,
  sign: () => Promise<string[]>,
): Promise<string[]> {
  try {
    return await sign()
  } catch (error) {
    const { id } = completed.subject
    const entry = { ...completed, action: 'issuance.reopened' } as const
    const now = needs.clock.now()
    if (id !== null) await needs.store.single(tenant.id, (tx) => reinstateReservation(tx, id, entry, now))
    throw error
  }
}

function completedBy({ id, templateId }: PresentedToken, from: Origin): AuditEntry {
  return {
    action: 'openid4vc.issuance.completed',
    subject: { kind: 'issuance', id },
    by: { kind: 'wallet', ...from },
    detail: { credentialId: credentialIdOf(id), credentialTemplateId: templateId },
  }
}
