import type { Standing } from '../../protocols/status-list/packed-list.ts'
import type { CredentialStatus } from '../issuances/issuance.ts'

/** A status change that the issuer can request. */
export type StatusTransition = {
  readonly verb: 'revoke' | 'suspend' | 'reinstate'
  readonly to: Standing
  /** Statuses that it may change. */
  readonly from: readonly Standing[]
  readonly action: 'credential.revoked' | 'credential.suspended' | 'credential.reinstated'
}

/** The change that is final. */
export const revocation = {
  verb: 'revoke',
  to: 'revoked',
  from: ['valid', 'suspended'],
  action: 'credential.revoked',
} as const satisfies StatusTransition

/** All status changes. */
export const statusTransitions = [
  revocation,
  { verb: 'suspend', to: 'suspended', from: ['valid'], action: 'credential.suspended' },
  { verb: 'reinstate', to: 'valid', from: ['suspended'], action: 'credential.reinstated' },
] as const satisfies readonly StatusTransition[]

/** A credential that a request left unchanged. */
export type UnchangedCredential = {
  readonly issuanceId: string
  readonly standing: Standing
  /** As in our API. */
  readonly status: CredentialStatus
  readonly isIssued: boolean
  readonly revocable: boolean
  readonly format: string
}

/**
 * Returns why a change is refused; null if it is allowed, or already made.
 */
export function objectionToStatusChange(
  credential: UnchangedCredential,
  { verb, to }: StatusTransition,
): string | null {
  if (!credential.isIssued) {
    return credential.status === 'offered'
      ? 'The credential is not issued yet; cancel its issuance instead.'
      : 'No credential was issued.'
  }
  if (!credential.revocable) return 'The template of the credential is not revocable.'
  if (credential.standing === 'revoked' && to !== 'revoked') return 'The credential is revoked, and that is final.'
  if (verb === 'suspend' && credential.format === 'mdoc') return 'An mdoc cannot be suspended, only revoked.'
  return null
}
