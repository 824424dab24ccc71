import type { Caller, TenantId } from '../../caller.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import { parseCompact } from '../../crypto/jws.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { RequestHeader } from '../../protocols/openid4vp/request-object.ts'
import {
  type ActiveSigner,
  activeSigner,
  findActiveSigner,
  findFormerSigner,
} from '../../trust/certificates/active-signer.ts'

import type { VerifierConfig } from '../templates/presentation-template.ts'
import type { PendingRequest } from './presentation-request.ts'
import { UNSIGNED_CLIENT } from './request-addresses.ts'

type Needs = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>

/** The signer of a request: a certificate and its client identifier; without them the did:web of the tenant. */
type RequestSigner = { readonly clientId?: string; readonly signerId?: string }

/** Signers by signing preference (see {@link signingPreferenceOf}). */
export type RequestSigners = Readonly<Record<string, RequestSigner>>

type Config = Pick<VerifierConfig, 'signer' | 'keyType' | 'clientIdPrefix' | 'clientId' | 'verifierAttestation'>

/**
 * Returns the signing preference of a template as one string. The statement that inserts requests builds the same
 * string.
 */
export function signingPreferenceOf(config: Config): string {
  const { signer, keyType, clientIdPrefix, clientId, verifierAttestation } = config
  return [signer, keyType, clientIdPrefix, clientId, verifierAttestation].map((one) => one ?? '').join('|')
}

/**
 * Returns the signers for templates without a preference or with a plain one; up to 5 s old. None where requests must
 * be certified: then the template is checked too.
 */
export async function defaultSigners(needs: Needs, { tenantId }: Pick<Caller, 'tenantId'>): Promise<RequestSigners> {
  if (await requiresCertificate(needs, tenantId)) return {}
  const active = await findActiveSigner(needs, tenantId, 'verifier')
  const didWeb = { [signingPreferenceOf({})]: {}, [signingPreferenceOf({ signer: 'did:web' })]: {} }
  if (active === null) return didWeb
  const signer = certificateSigner(active, hashOf(active))
  const { keyType } = active
  const preferences = [{}, { keyType }, { signer: 'certificate' }, { signer: 'certificate', keyType }] as const
  return { ...didWeb, ...Object.fromEntries(preferences.map((one) => [signingPreferenceOf(one), signer])) }
}

/**
 * Returns the signer for one template: by default the active certificate that fits, else the did:web of the tenant.
 *
 * @throws Fault `certificate.none_active` if the template requires a certificate that the tenant does not have; its
 *   detail names it.
 */
export async function chooseSigner(
  needs: Needs,
  { tenantId }: Pick<Caller, 'tenantId'>,
  config: Config,
): Promise<RequestSigner> {
  const { signer, keyType = null, clientIdPrefix } = config
  if (signer === 'did:web') return {}
  if (clientIdPrefix === 'redirect_uri') return { clientId: UNSIGNED_CLIENT }
  // OpenID4VP 1.0, 5.9.3: these sign with the key of the tenant
  if (clientIdPrefix === 'pre-registered' && config.clientId !== undefined) return { clientId: config.clientId }
  if (clientIdPrefix === 'verifier_attestation') return { clientId: attestedClientOf(config.verifierAttestation) }
  const isRequired = await requiresCertificate(needs, tenantId)
  const needsCertificate =
    isRequired || signer === 'certificate' || keyType === 'Ed25519' || clientIdPrefix !== undefined
  const find = needsCertificate ? activeSigner : findActiveSigner
  const active = await find(needs, tenantId, 'verifier', keyType)
  if (active === null) return {}
  return certificateSigner(active, clientIdPrefix === 'x509_san_dns' ? dnsNameOf(needs, active) : hashOf(active))
}

/**
 * Returns the key and header with which a request is signed: those of its certificate, also after a renewal, or the
 * tenant's own.
 *
 * @throws Fault `presentation_request.closed` if the certificate was revoked or has expired
 */
export async function signerOf(
  platform: Needs,
  { id: tenantId, slug }: Pick<Tenant, 'id' | 'slug'>,
  { signerId, clientId, verifierConfig }: Pick<PendingRequest, 'signerId' | 'clientId' | 'verifierConfig'>,
): Promise<{ readonly header: RequestHeader; readonly key: SigningKey }> {
  if (signerId === null) {
    const key = await platform.keys.current(tenantId, 'request')
    // OpenID4VP 1.0, 5.9.3: `kid` names the verification method in the DID document
    const kid = `${platform.urls.did(slug)}#${key.kid}`
    const jwt = verifierConfig?.verifierAttestation
    return { header: { kid, ...(clientId !== null && jwt !== undefined && { jwt }) }, key }
  }
  const signer = await findFormerSigner(platform, tenantId, signerId)
  if (signer === null) {
    const detail = 'The certificate of the request was revoked or has expired.'
    throw new Fault('presentation_request.closed', { detail })
  }
  // OpenID4VP 1.0, 5.9.3, [X5-5]: the chain without its root
  return { header: { x5c: signer.x5c }, key: signer.key }
}

async function requiresCertificate(needs: Needs, tenantId: TenantId): Promise<boolean> {
  return (await findPolicyOf(needs, tenantId)).presenting.requiresCertifiedRequests
}

function attestedClientOf(attestation: string | undefined): string {
  const { sub } = parseCompact(attestation ?? '').payload
  return `verifier_attestation:${String(sub)}`
}

function certificateSigner({ certificateId }: ActiveSigner, clientId: string): RequestSigner {
  return { clientId, signerId: certificateId }
}

/** OpenID4VP 1.0, 5.9.3, [HAIP-21]: the hash of the leaf in DER */
function hashOf({ leafDer }: ActiveSigner): string {
  return `x509_hash:${sha256Base64url(leafDer)}`
}

/** OpenID4VP 1.0, 5.9.3: a dNSName of the leaf that is the host of `response_uri` [VP-S3] */
function dnsNameOf({ urls }: Needs, { leaf }: ActiveSigner): string {
  const { hostname } = new URL(urls.publicUrl)
  const names = leaf.extensions.subjectAltName.dns.map((name) => name.toLowerCase())
  if (names.includes(hostname)) return `x509_san_dns:${hostname}`
  throw new Fault('certificate.none_active', {
    detail: `The active verifier certificate does not have the DNS name ${hostname}, the host of response_uri; use x509_hash, or a certificate with that name.`,
    meta: { kind: 'verifier', dnsName: hostname },
  })
}
