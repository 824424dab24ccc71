import type { Caller } from '../../caller.ts'
import type { AuditAction } from '../../contract/events/vocabulary.ts'
import type { CertificateStatus } from '../../contract/trust/certificates.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { isUniqueViolation } from '../../store/unique-violation.ts'
import { forgetCrl } from '../revocation/publish-crl.ts'
import { forgetSigners } from './active-signer.ts'
import type { TenantCertificate } from './certificate.ts'
import { setActive, setInactive, setRevoked } from './certificate-change-store.ts'
import { getCertificate } from './get-certificate.ts'
import { type AuthorityNeeds, ensureLeaf } from './make-leaf.ts'
import { forgetOwnAnchors } from './own-anchors.ts'

type Change = {
  readonly action: AuditAction
  readonly status: CertificateStatus
  /** Statuses that allow the change. */
  readonly from: readonly CertificateStatus[]
  readonly run: (tx: TenantTx, id: string, entry: AuditEntry, now: Date) => Promise<boolean>
}
const activated: Change = {
  action: 'certificate.activated',
  status: 'active',
  from: ['pendingActivation', 'inactive'],
  run: setActive,
}
const deactivated: Change = {
  action: 'certificate.deactivated',
  status: 'inactive',
  from: ['active'],
  run: setInactive,
}
const revoked: Change = {
  action: 'certificate.revoked',
  status: 'revoked',
  from: ['pendingActivation', 'active', 'inactive'],
  run: setRevoked,
}

const ATTEMPTS_MAX = 10

/**
 * Activates a certificate and deactivates the active one of the same kind and key type. Of two concurrent activations
 * the later one wins. Activating an active certificate changes nothing.
 *
 * @throws Fault `resource.unknown`, `state.invalid`
 */
export async function activateCertificate(
  needs: AuthorityNeeds,
  caller: Caller,
  id: string,
): Promise<TenantCertificate> {
  const certificate = await change(needs, caller, id, activated)
  if (certificate.origin === 'root') await ensureLeaf(needs, caller.tenantId, id)
  forgetSigners(needs, caller.tenantId)
  return certificate
}

/** Deactivates a certificate. What it signed stays valid. @throws Fault `resource.unknown`, `state.invalid` */
export async function deactivateCertificate(
  needs: AuthorityNeeds,
  caller: Caller,
  id: string,
): Promise<TenantCertificate> {
  const certificate = await change(needs, caller, id, deactivated)
  forgetSigners(needs, caller.tenantId)
  return certificate
}

/**
 * Revokes a certificate permanently, and with a root everything below it. What a root signed is listed in its
 * revocation list from then on. A root whose leaf is revoked gets another one at once.
 *
 * @throws Fault `resource.unknown`, `state.invalid`
 */
export async function revokeCertificate(
  needs: AuthorityNeeds & Pick<Platform, 'journal'>,
  caller: Caller,
  id: string,
): Promise<TenantCertificate> {
  const certificate = await change(needs, caller, id, revoked)
  const at = needs.clock.now().toISOString()
  await needs.journal.append([{ kind: 'certificate', at, tenantId: caller.tenantId, certificateId: id }])
  if (certificate.origin === 'automatic' && certificate.parentId !== null) {
    await ensureLeaf(needs, caller.tenantId, certificate.parentId)
  }
  forgetSigners(needs, caller.tenantId)
  forgetOwnAnchors(needs, caller.tenantId)
  forgetCrl(needs, caller.tenantId, certificate.parentId ?? id)
  return certificate
}

/** Idempotent: a repeated request is no error. Retries when another change happened concurrently. */
async function change(needs: AuthorityNeeds, caller: Caller, id: string, to: Change): Promise<TenantCertificate> {
  const entry = { action: to.action, subject: { kind: 'certificate', id }, by: caller } as const
  for (let attempt = 1; ; attempt += 1) {
    const isDone = await nullOnUniqueViolation(() =>
      needs.store.inTenant(caller.tenantId, (tx) => to.run(tx, id, entry, needs.clock.now())),
    )
    const certificate = await getCertificate(needs, caller, id)
    if (isDone === true || (certificate.status === to.status && certificate.origin !== 'foreign')) return certificate
    if (attempt < ATTEMPTS_MAX && (isDone === null || allows(certificate, to))) continue
    throw new Fault('state.invalid', { detail: reasonAgainst(certificate, to), meta: { status: certificate.status } })
  }
}

/** Of two concurrent activations the unique index refuses one, which is retried and replaces the other. */
async function nullOnUniqueViolation(work: () => Promise<boolean>): Promise<boolean | null> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error)) return null
    throw error
  }
}

function allows({ origin, status }: TenantCertificate, to: Change): boolean {
  return to.from.includes(status) && (to.status === 'revoked' || origin === 'root' || origin === 'request')
}

function reasonAgainst({ status, origin }: TenantCertificate, { status: target }: Change): string {
  if (status === 'revoked') return 'The certificate is revoked, and that is final.'
  if (status === 'expired') return 'The certificate has expired.'
  if (origin === 'automatic') return 'The certificate follows its root: change the root, or revoke this certificate.'
  if (origin === 'foreign')
    return 'The key of this certificate is external, so it can neither be activated nor deactivated.'
  return `A certificate that is ${status} cannot become ${target}.`
}
