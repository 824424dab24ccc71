import type { CredentialStatus } from '../issuances/issuance.ts'

/** What the issuer says of a credential that is out. `revoked` is final, and an mdoc is not suspended. [TS-33] [MD-10] */
export type StatusAction = 'valid' | 'suspended' | 'revoked'

/** A change that an organisation may ask for. */
export type StatusTransition = {
  readonly verb: 'revoke' | 'suspend' | 'reinstate'
  readonly to: StatusAction
  /** From where it may come. */
  readonly from: readonly StatusAction[]
  readonly action: 'credential.revoked' | 'credential.suspended' | 'credential.reinstated'
}

/** Every change there is. */
export const statusTransitions = [
  { verb: 'revoke', to: 'revoked', from: ['valid', 'suspended'], action: 'credential.revoked' },
  { verb: 'suspend', to: 'suspended', from: ['valid'], action: 'credential.suspended' },
  { verb: 'reinstate', to: 'valid', from: ['suspended'], action: 'credential.reinstated' },
] as const satisfies readonly StatusTransition[]

/** A credential as its issuer sees it when a change is refused, or is not needed. */
export type StatusChange = {
  readonly issuanceId: string
  readonly credentialId: string
  readonly standing: StatusAction
  /** As our API shows it. */
  readonly status: CredentialStatus
  readonly isIssued: boolean
  readonly revocable: boolean
  readonly format: string
}

/**
 * Why a change is refused.
 *
 * @returns null if nothing is in its way: it was made before, or by somebody at the same moment, or may be tried.
 */
export function objectionToStatusChange(stood: StatusChange, { verb, to }: StatusTransition): string | null {
  if (!stood.isIssued) {
    return stood.status === 'offered'
      ? 'The credential is not issued yet; cancel its issuance instead.'
      : 'No credential was issued.'
  }
  if (!stood.revocable) return 'The template of the credential is not revocable.'
  if (stood.standing === 'revoked' && to !== 'revoked') return 'The credential is revoked, and that is final.'
  if (verb === 'suspend' && stood.format === 'mdoc') return 'An mdoc cannot be suspended, only revoked.'
  return null
}
