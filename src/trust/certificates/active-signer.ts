import type { TenantId } from '../../caller.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { fromPem } from '../../crypto/x509/pem.ts'
import { type Certificate, readCertificate } from '../../crypto/x509-path/certificate.ts'
import { Fault } from '../../fault.ts'
import type { KeyType } from '../../keys/key-provider.ts'
import type { Platform } from '../../platform.ts'
import type { CertificateKind, TenantCertificate } from './certificate.ts'
import { findCertificate, findLeaf, findSigner } from './certificate-store.ts'
import { type AuthorityNeeds, ensureLeaf } from './make-leaf.ts'

/** What a tenant signs with at this moment, certificate and all. */
export type ActiveSigner = {
  readonly certificateId: string
  /** The root of the tenant above it, or itself if there is none: what stays when the leaf is renewed. */
  readonly authorityId: string
  readonly key: SigningKey
  readonly keyType: KeyType
  /** Standard base64 of DER, leaf first, without a root [X5-5]: the value of the JWS header of this name. */
  readonly x5c: readonly string[]
  readonly leafDer: Buffer
  readonly leaf: Certificate
  readonly notBefore: Date
  readonly notAfter: Date
  /** Whether it may sign mobile driving licences. */
  readonly signMdl: boolean
}

/**
 * What the tenant signs credentials (`issuer`) or presentation requests (`verifier`) with, up to 5 s old.
 *
 * @param keyType null: P-256 if there is one, else Ed25519.
 * @returns null if no certificate of that kind is active
 */
export function findActiveSigner(
  needs: AuthorityNeeds,
  tenantId: TenantId,
  kind: CertificateKind,
  keyType: KeyType | null = null,
): Promise<ActiveSigner | null> {
  return remembered(needs, tenantId, `${kind}|${keyType}`, () => look(needs, tenantId, kind, keyType))
}

/**
 * A certificate that the tenant signed with once, for something that was begun with it: replaced or switched off meanwhile it still signs.
 * Up to 5 s old.
 *
 * @returns null if it was revoked, has expired, or its key is gone
 */
export async function findFormerSigner(
  needs: AuthorityNeeds,
  tenantId: TenantId,
  certificateId: string,
): Promise<ActiveSigner | null> {
  // mostly it is the one that signs now, and known
  for (const known of signersOf(needs, tenantId).values()) {
    const signer = await known.catch(() => null)
    if (signer?.certificateId === certificateId) return signer
  }
  return remembered(needs, tenantId, `id|${certificateId}`, () => lookFor(needs, tenantId, certificateId))
}

type FoundSigner = Promise<ActiveSigner | null>

function signersOf(needs: AuthorityNeeds, tenantId: TenantId): Map<string, FoundSigner> {
  const cache = cacheOf(needs)
  const now = needs.clock.now()
  const known = cache.get(tenantId, now)
  if (known !== undefined) return known
  const signers = new Map<string, FoundSigner>()
  cache.set(tenantId, signers, now)
  return signers
}

/** Callers that come together share one look-up; one that failed is not kept. */
function remembered(needs: AuthorityNeeds, tenantId: TenantId, name: string, find: () => FoundSigner): FoundSigner {
  const signers = signersOf(needs, tenantId)
  const known = signers.get(name)
  if (known !== undefined) return known
  const looking = find()
  signers.set(name, looking)
  looking.catch(() => signers.delete(name))
  return looking
}

/** As {@link findActiveSigner}. @throws Fault `certificate.none_active` that says what is missing */
export async function activeSigner(
  needs: AuthorityNeeds,
  tenantId: TenantId,
  kind: CertificateKind,
  keyType: KeyType | null = null,
): Promise<ActiveSigner> {
  const found = await findActiveSigner(needs, tenantId, kind, keyType)
  if (found !== null) return found
  const what = `${kind} certificate${keyType === null ? '' : ` with a ${keyType} key`}`
  throw new Fault('certificate.none_active', {
    detail: `The organisation has no active ${what}. Create one with POST /certificates (type ${kind}Root), or have a signing request of POST /certificates/csrs signed and import the certificate.`,
    meta: { kind, keyType },
  })
}

/** Discards the cached signers of a tenant, so that a change made by this process counts at once. */
export function forgetSigners(needs: Pick<Platform, 'memory'>, tenantId: TenantId): void {
  cacheOf(needs).delete(tenantId)
}

function cacheOf({ memory }: Pick<Platform, 'memory'>) {
  return memory.cache<Map<string, FoundSigner>>('trust.active_signers')
}

async function look(
  needs: AuthorityNeeds,
  tenantId: TenantId,
  kind: CertificateKind,
  keyType: KeyType | null,
): Promise<ActiveSigner | null> {
  const now = needs.clock.now()
  const top = await needs.store.single(tenantId, (tx) => findSigner(tx, kind, keyType, now))
  return top === null ? null : signerBelow(needs, tenantId, top, now)
}

/**
 * What a root or requested certificate of the tenant signs with now, also one that is not active: for what is still to be said about
 * credentials that it signed.
 *
 * @returns null if it is unknown, revoked or expired, or has no leaf any more
 */
export async function signerOfAuthority(
  needs: AuthorityNeeds,
  tenantId: TenantId,
  authorityId: string,
): Promise<ActiveSigner | null> {
  const now = needs.clock.now()
  const top = await needs.store.single(tenantId, (tx) => findCertificate(tx, authorityId, now))
  if (top === null || top.status === 'revoked' || top.status === 'expired') return null
  return signerBelow(needs, tenantId, top, now)
}

async function signerBelow(
  needs: AuthorityNeeds,
  tenantId: TenantId,
  top: TenantCertificate,
  now: Date,
): Promise<ActiveSigner | null> {
  const signer = top.origin === 'root' ? await leafOf(needs, tenantId, top.id, now) : top
  return signer === null ? null : opened(needs, tenantId, signer)
}

async function lookFor(needs: AuthorityNeeds, tenantId: TenantId, id: string): FoundSigner {
  const found = await needs.store.single(tenantId, (tx) => findCertificate(tx, id, needs.clock.now()))
  if (found === null || found.status === 'revoked' || found.status === 'expired') return null
  try {
    return await opened(needs, tenantId, found)
  } catch (error) {
    if (error instanceof Fault && error.code === 'key.destroyed') return null
    throw error
  }
}

async function opened(needs: AuthorityNeeds, tenantId: TenantId, signer: TenantCertificate): FoundSigner {
  if (signer.keyId === null) return null
  const leaf = readCertificate(signer.der)
  const above = signer.chain === '' ? [] : fromPem('CERTIFICATE', signer.chain).filter((der) => !isSelfSigned(der))
  return {
    certificateId: signer.id,
    authorityId: signer.parentId ?? signer.id,
    key: await needs.keys.byId(tenantId, signer.keyId),
    keyType: signer.keyType,
    x5c: [signer.der, ...above].map((der) => der.toString('base64')),
    leafDer: signer.der,
    leaf,
    notBefore: leaf.notBefore,
    notAfter: leaf.notAfter,
    signMdl: signer.signMdl,
  }
}

/** A root that was activated this moment, or whose leaf was revoked, may not have its next one yet. */
async function leafOf(
  needs: AuthorityNeeds,
  tenantId: TenantId,
  rootId: string,
  now: Date,
): Promise<TenantCertificate | null> {
  const find = () => needs.store.single(tenantId, (tx) => findLeaf(tx, rootId, now))
  const found = await find()
  if (found !== null) return found
  await ensureLeaf(needs, tenantId, rootId)
  return find()
}

function isSelfSigned(der: Buffer): boolean {
  const { issuer, subject } = readCertificate(der)
  return issuer.der.equals(subject.der)
}
