import type { TenantId } from '../../caller.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { type Certificate, isSelfIssued, readCertificate } from '../../crypto/x509/certificate.ts'
import { fromPem } from '../../crypto/x509/pem.ts'
import { Fault } from '../../fault.ts'
import type { KeyType } from '../../keys/key-provider.ts'
import type { Platform } from '../../platform.ts'
import type { CertificateKind, TenantCertificate } from './certificate.ts'
import { findCertificate, findLeaf, findSigner } from './certificate-store.ts'
import { type AuthorityNeeds, ensureLeaf } from './make-leaf.ts'

/** The key and certificate that a tenant signs with. */
export type ActiveSigner = {
  readonly certificateId: string
  /** The root of the tenant above it, or itself if there is none: unchanged when the leaf is renewed. */
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
 * Returns the active signer of a tenant for credentials (`issuer`) or presentation requests (`verifier`), up to 5 s
 * old; null if no certificate of that kind is active.
 *
 * @param keyType null: P-256 if there is one, else Ed25519.
 */
export function findActiveSigner(
  needs: AuthorityNeeds,
  tenantId: TenantId,
  kind: CertificateKind,
  keyType: KeyType | null = null,
): Promise<ActiveSigner | null> {
  return remembered(needs, tenantId, `${kind}|${keyType}`, () => selectSigner(needs, tenantId, kind, keyType))
}

/**
 * Returns the signer of a certificate by id, active or not, up to 5 s old: what was begun with a certificate is
 * finished with it. null if it is revoked or expired, or its key is destroyed.
 */
export async function findFormerSigner(
  needs: AuthorityNeeds,
  tenantId: TenantId,
  certificateId: string,
): Promise<ActiveSigner | null> {
  // usually the active signer, which is cached
  for (const cached of signersOf(needs, tenantId).values()) {
    const signer = await cached.catch(() => null)
    if (signer?.certificateId === certificateId) return signer
  }
  return remembered(needs, tenantId, `id|${certificateId}`, () => selectFormer(needs, tenantId, certificateId))
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

/** Concurrent calls share one look-up; a failure is not cached. */
function remembered(needs: AuthorityNeeds, tenantId: TenantId, name: string, find: () => FoundSigner): FoundSigner {
  const signers = signersOf(needs, tenantId)
  const known = signers.get(name)
  if (known !== undefined) return known
  const finding = find()
  signers.set(name, finding)
  finding.catch(() => signers.delete(name))
  return finding
}

/** As {@link findActiveSigner}. @throws Fault `certificate.none_active` naming what is missing */
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

async function selectSigner(
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
 * Returns the signer below a root or requested certificate, active or not: for status lists of credentials that it
 * signed. null if the certificate is unknown, revoked or expired, or its leaf cannot be made.
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
  return signer === null ? null : toSigner(needs, tenantId, signer)
}

async function selectFormer(needs: AuthorityNeeds, tenantId: TenantId, id: string): FoundSigner {
  const found = await needs.store.single(tenantId, (tx) => findCertificate(tx, id, needs.clock.now()))
  if (found === null || found.status === 'revoked' || found.status === 'expired') return null
  try {
    return await toSigner(needs, tenantId, found)
  } catch (error) {
    if (error instanceof Fault && error.code === 'key.destroyed') return null
    throw error
  }
}

async function toSigner(needs: AuthorityNeeds, tenantId: TenantId, signer: TenantCertificate): FoundSigner {
  if (signer.keyId === null) return null
  const leaf = readCertificate(signer.der)
  const above =
    signer.chain === '' ? [] : fromPem('CERTIFICATE', signer.chain).filter((der) => !isSelfIssued(readCertificate(der)))
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

/** A root that was just activated, or whose leaf was revoked, may not have its next leaf yet. */
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
