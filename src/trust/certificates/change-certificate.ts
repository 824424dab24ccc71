import type { Caller } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import type { AuditAction } from '../../events/audit/vocabulary.ts'
import { Fault } from '../../fault.ts'
import type { TenantTx } from '../../store/store.ts'
import { isUniqueViolation } from '../../store/unique-violation.ts'
import { forgetCrl } from '../revocation/publish-crl.ts'
import { forgetSigners } from './active-signer.ts'
import type { CertificateStatus, TenantCertificate } from './certificate.ts'
import { setActive, setInactive, setRevoked } from './certificate-change-store.ts'
import { getCertificate } from './get-certificate.ts'
import { type AuthorityNeeds, ensureLeaf } from './make-leaf.ts'
import { forgetOwnAnchors } from './own-anchors.ts'

type Change = {
  readonly action: AuditAction
  readonly status: CertificateStatus
  /** What it may have been before. */
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
 * Lets the tenant sign with a certificate; the one of the same kind and key type that did becomes inactive. Of two at once the later one
 * stays. Activating an active one changes nothing.
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

/** Lets the tenant no longer sign with a certificate. What it signed stays valid. @throws Fault `resource.unknown`, `state.invalid` */
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
 * Revokes a certificate for good. What a root of the tenant signed stands in its revocation list from now on; with a root goes everything
 * below it. A root whose leaf is revoked makes another one at once.
 *
 * @throws Fault `resource.unknown`, `state.invalid`
 */
export async function revokeCertificate(needs: AuthorityNeeds, caller: Caller, id: string): Promise<TenantCertificate> {
  const certificate = await change(needs, caller, id, revoked)
  if (certificate.origin === 'automatic' && certificate.parentId !== null) {
    await ensureLeaf(needs, caller.tenantId, certificate.parentId)
  }
  forgetSigners(needs, caller.tenantId)
  forgetOwnAnchors(needs, caller.tenantId)
  forgetCrl(needs, caller.tenantId, certificate.parentId ?? id)
  return certificate
}

/** A change that finds its work done is done: a repeated request is no error. What others changed at the same moment is looked at again. */
async function change(needs: AuthorityNeeds, caller: Caller, id: string, to: Change): Promise<TenantCertificate> {
  const entry = { action: to.action, subject: { kind: 'certificate', id }, by: caller } as const
  for (let attempt = 1; ; attempt += 1) {
    const isDone = await unrivalled(() =>
      needs.store.single(caller.tenantId, (tx) => to.run(tx, id, entry, needs.clock.now())),
    )
    const certificate = await getCertificate(needs, caller, id)
    if (isDone === true || (certificate.status === to.status && certificate.origin !== 'foreign')) return certificate
    if (attempt < ATTEMPTS_MAX && (isDone === null || isOpenTo(certificate, to))) continue
    throw new Fault('state.invalid', { detail: whyNot(certificate, to), meta: { status: certificate.status } })
  }
}

/** Of two that become active at the same moment the unique index stops one: null. It then replaces the other. */
async function unrivalled(work: () => Promise<boolean>): Promise<boolean | null> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error)) return null
    throw error
  }
}

function isOpenTo({ origin, status }: TenantCertificate, to: Change): boolean {
  return to.from.includes(status) && (to.status === 'revoked' || origin === 'root' || origin === 'request')
}

function whyNot({ status, origin }: TenantCertificate, { status: wanted }: Change): string {
  if (status === 'revoked') return 'The certificate is revoked, and that is final.'
  if (status === 'expired') return 'The certificate has expired.'
  if (origin === 'automatic') return 'The certificate follows its root: change that one, or revoke this one.'
  if (origin === 'foreign')
    return 'The key of this certificate is elsewhere, so it is neither activated nor deactivated here.'
  return `A certificate that is ${status} cannot become ${wanted}.`
}
