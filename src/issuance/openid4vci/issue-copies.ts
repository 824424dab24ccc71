import { type JsonObject, readOwnJson } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { buildCredentialResponse } from '../../protocols/openid4vci/credential-response.ts'
import type { ProvedKey } from '../../protocols/openid4vci/jwt-proof.ts'
import { signerOfAuthority } from '../../trust/certificates/active-signer.ts'
import { tenantSigner, tenantSignerNamed } from '../../trust/did/tenant-signer.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import type { PresentedToken } from '../offers/access-token.ts'
import type { ListKind } from '../status/status-entries.ts'
import { fitsCertificate } from '../templates/check-elements.ts'
import { credentialSigner, signerCertificateOf } from '../templates/credential-signer.ts'
import type { CredentialTemplate, TemplateDefinition } from '../templates/template.ts'
import { validityOf } from '../templates/validity.ts'
import { type Bound, findClaims, reinstateReservation } from './credential-store.ts'
import type { ProvedKeys } from './prove-keys.ts'
import { reserveCopies } from './reserve-copies.ts'
import { type CopySigner, signCopies } from './sign-copies.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>
const REFILLS_MAX = 10

/** The copies to issue: to whom, of what, and for which keys. */
type Issuing = {
  readonly granted: PresentedToken
  readonly template: CredentialTemplate
  readonly keys: ProvedKeys
  readonly from: { readonly ip: string; readonly requestId: string }
}

/**
 * Issues copies of one credential, each bound to a key, and returns the credential response. One statement reserves;
 * signing follows outside of any transaction, and a reservation that cannot be signed is reinstated. The same token and
 * keys get the same content and entries.
 *
 * @throws Fault `credential_request.denied`, `nonce.invalid`, `certificate.none_active`
 */
export async function issueCopies(
  needs: Needs,
  tenant: Tenant,
  { granted, template, keys, from }: Issuing,
): Promise<ReturnType<typeof buildCredentialResponse>> {
  const now = needs.clock.now()
  const signer = await signerOf(needs, tenant, granted, template.definition)
  const listKind = { bits: template.definition.format === 'mdoc' ? 1 : 2, ...authorityOf(signer) } as const
  const entry = completedBy(granted, from)
  const { revocable } = template.definition
  const refill = refillOf(granted, template.definition)
  const validUntil = validityOf(template.definition, now).exp ?? null
  const asked = { granted, revocable, listKind, validUntil, entry, refill, ...keys }
  const bound = await reserveCopies(needs, tenant, asked, now)
  const sign = async () => {
    const by = await signerOfCopies(needs, tenant, signer, bound)
    const claims = await openClaims(needs, tenant, granted, bound.sealedClaims)
    return signCopies(needs, tenant, by, { ...bound, template, claims, keys: keys.bound })
  }
  const signed = await signOrReinstate(needs, tenant, entry, sign)
  return buildCredentialResponse(inOrder(keys.requested, keys.bound, signed), credentialIdOf(granted.id))
}

/** A bearer token may have been stolen: its bearer would get copies that work while the holder has some already. */
function refillOf({ jkt, clientId }: PresentedToken, { refill, approvalRequired }: TemplateDefinition) {
  if (refill === undefined || jkt === null || clientId === null || approvalRequired === true) return null
  const { days, times = REFILLS_MAX } = refill
  return { days, times }
}

/**
 * Returns the signer before anything is reserved: the wallet may repeat a refused request. The response does not say
 * what is missing.
 */
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
 * [TS-10] Returns the signer of the copies' status lists, which signs the copies too. It is a former signer if the
 * request is repeated and the active certificate or key has changed since.
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
 * Signs; on failure reinstates the reservation, unless another request has reserved the same copies meanwhile, so that
 * the wallet may repeat its request with the same token. @throws the error of the signer
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
    if (id !== null) await needs.store.inTenant(tenant.id, (tx) => reinstateReservation(tx, id, entry, now))
    throw error
  }
}

function completedBy({ id, templateId }: PresentedToken, from: Issuing['from']): AuditEntry {
  return {
    action: 'openid4vc.issuance.completed',
    subject: { kind: 'issuance', id },
    by: { kind: 'wallet', ...from },
    detail: { credentialId: credentialIdOf(id), credentialTemplateId: templateId },
  }
}
