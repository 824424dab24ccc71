import type { Caller } from '../../caller.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { type ActiveSigner, activeSigner, findActiveSigner } from '../../trust/certificates/active-signer.ts'
import type { VerifierConfig } from '../templates/presentation-template.ts'
import { UNSIGNED_CLIENT } from './request-addresses.ts'

type Needs = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>

/** The signer of a request: a certificate and its client identifier; without them the did:web of the tenant. */
type RequestSigner = { readonly clientId?: string; readonly signerId?: string }

/** Signers by signing preference (see {@link signingPreferenceOf}). */
export type RequestSigners = Readonly<Record<string, RequestSigner>>

type Config = Pick<VerifierConfig, 'signer' | 'keyType' | 'clientIdPrefix'>

/** Returns the signing preference of a template as one string. The statement that inserts requests builds the same string. */
export function signingPreferenceOf({ signer, keyType, clientIdPrefix }: Config): string {
  return [signer, keyType, clientIdPrefix].map((one) => one ?? '').join('|')
}

/** Returns the signers for templates without a preference or with a plain one; up to 5 s old. */
export async function defaultSigners(needs: Needs, { tenantId }: Pick<Caller, 'tenantId'>): Promise<RequestSigners> {
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
 * @throws Fault `certificate.none_active` if the template requires a certificate that the tenant does not have; its detail names it.
 */
export async function chooseSigner(
  needs: Needs,
  { tenantId }: Pick<Caller, 'tenantId'>,
  config: Config,
): Promise<RequestSigner> {
  const { signer, keyType = null, clientIdPrefix } = config
  if (signer === 'did:web') return {}
  if (clientIdPrefix === 'redirect_uri') return { clientId: UNSIGNED_CLIENT }
  const needsCertificate = signer === 'certificate' || keyType === 'Ed25519' || clientIdPrefix !== undefined
  const find = needsCertificate ? activeSigner : findActiveSigner
  const active = await find(needs, tenantId, 'verifier', keyType)
  if (active === null) return {}
  return certificateSigner(active, clientIdPrefix === 'x509_san_dns' ? dnsNameOf(needs, active) : hashOf(active))
}

function certificateSigner({ certificateId }: ActiveSigner, clientId: string): RequestSigner {
  return { clientId, signerId: certificateId }
}

/** 5.9.3: the hash of the leaf in DER, as HAIP requires. */
function hashOf({ leafDer }: ActiveSigner): string {
  return `x509_hash:${sha256Base64url(leafDer)}`
}

/** 5.9.3: a dNSName of the leaf that is the host of `response_uri` [VP-S3] */
function dnsNameOf({ urls }: Needs, { leaf }: ActiveSigner): string {
  const { hostname } = new URL(urls.publicUrl)
  const names = leaf.extensions.subjectAltName.dns.map((name) => name.toLowerCase())
  if (names.includes(hostname)) return `x509_san_dns:${hostname}`
  throw new Fault('certificate.none_active', {
    detail: `The active verifier certificate does not have the DNS name ${hostname}, the host of response_uri; use x509_hash, or a certificate with that name.`,
    meta: { kind: 'verifier', dnsName: hostname },
  })
}
