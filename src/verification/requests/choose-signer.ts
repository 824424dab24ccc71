import type { Caller, TenantId } from '../../caller.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import { Fault } from '../../fault.ts'
import type { KeyType } from '../../keys/key-provider.ts'
import type { Platform } from '../../platform.ts'
import { type ActiveSigner, activeSigner, findActiveSigner } from '../../trust/certificates/active-signer.ts'
import type { VerifierConfig } from '../templates/presentation-template.ts'

type Needs = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>

/** Who a request is from: a certificate and the client identifier that it has; neither: the did:web of the tenant. */
export type SignerChoice = { readonly clientId?: string; readonly signerId?: string }

/** By what a template says about signing, as {@link signerChoiceOf} writes it. */
export type SignerChoices = Readonly<Record<string, SignerChoice>>

type Config = Pick<VerifierConfig, 'signer' | 'keyType' | 'clientIdPrefix'>

/** What a template says about signing, in one word. The statement that makes requests writes the same. */
export function signerChoiceOf({ signer, keyType, clientIdPrefix }: Config): string {
  return [signer, keyType, clientIdPrefix].map((one) => one ?? '').join('|')
}

/** Who signs for templates that say nothing, or just which kind of signer. Up to 5 s old. */
export async function defaultSigners(needs: Needs, { tenantId }: Pick<Caller, 'tenantId'>): Promise<SignerChoices> {
  const active = await findActiveSigner(needs, tenantId, 'verifier')
  const didWeb = { [signerChoiceOf({})]: {}, [signerChoiceOf({ signer: 'did:web' })]: {} }
  if (active === null) return didWeb
  const choice = certified(active, hashOf(active))
  const { keyType } = active
  const wishes = [{}, { keyType }, { signer: 'certificate' }, { signer: 'certificate', keyType }] as const
  return { ...didWeb, ...Object.fromEntries(wishes.map((wish) => [signerChoiceOf(wish), choice])) }
}

/**
 * Who signs for one template. A certificate if there is one that fits, unless the template wants the did:web; without one the did:web, unless
 * the template asks for what only a certificate can give.
 *
 * @throws Fault `certificate.none_active` that says what is missing
 */
export async function chooseSigner(needs: Needs, { tenantId }: Pick<Caller, 'tenantId'>, config: Config) {
  const { signer, keyType = null, clientIdPrefix } = config
  if (signer === 'did:web') return {}
  const needsCertificate = signer === 'certificate' || keyType === 'Ed25519' || clientIdPrefix !== undefined
  const active = await find(needs, tenantId, keyType, needsCertificate)
  if (active === null) return {}
  return certified(active, clientIdPrefix === 'x509_san_dns' ? dnsNameOf(needs, active) : hashOf(active))
}

function find(needs: Needs, tenantId: TenantId, keyType: KeyType | null, isNeeded: boolean) {
  const look = isNeeded ? activeSigner : findActiveSigner
  return look(needs, tenantId, 'verifier', keyType)
}

function certified({ certificateId }: ActiveSigner, clientId: string): SignerChoice {
  return { clientId, signerId: certificateId }
}

/** 5.9.3: the hash of the DER of the leaf. The one that HAIP wants, and it needs no DNS name. */
function hashOf({ leafDer }: ActiveSigner): string {
  return `x509_hash:${sha256Base64url(leafDer)}`
}

/** 5.9.3: a dNSName of the leaf, and the host of `response_uri` [VP-S3] */
function dnsNameOf({ urls }: Needs, { leaf }: ActiveSigner): string {
  const { hostname } = new URL(urls.publicUrl)
  const names = leaf.extensions.subjectAltName.dns.map((name) => name.toLowerCase())
  if (names.includes(hostname)) return `x509_san_dns:${hostname}`
  throw new Fault('certificate.none_active', {
    detail: `The active verifier certificate does not have the DNS name ${hostname}, which takes the answers; use x509_hash, or a certificate with that name.`,
    meta: { kind: 'verifier', dnsName: hostname },
  })
}
