import type { Caller } from '../../caller.ts'
import type { CreateIssuanceBody } from '../../contract/issuance/issuances.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import type { Issuance } from './issuance.ts'

/** A new credential is to take the place of another one. */
export type PlannedReplacement = {
  readonly replaces: NonNullable<Issuance['replaces']>
  /** That of the old issuance, which the new one has unless it states its own. */
  readonly reference: string | null
  /**
   * Inserts it, in the transaction that inserts the new issuance.
   *
   * @throws Fault `state.conflict` if another one takes that place at this moment
   */
  readonly insert: (tx: TenantTx, id: string) => Promise<void>
}

/** What creating an issuance needs of replacements. */
export type ReplacementPort = {
  /**
   * Finds what a new credential is to replace; null: nothing.
   *
   * @throws Fault `request.invalid` if it cannot be replaced, or not as asked
   */
  readonly plan: (
    platform: Pick<Platform, 'store' | 'clock'>,
    caller: Pick<Caller, 'tenantId'>,
    ask: Pick<CreateIssuanceBody, 'replaces' | 'credentialTemplateId'>,
  ) => Promise<PlannedReplacement | null>
  /** Does what is due at once, for an issuance that was created. */
  readonly settle: (
    platform: Pick<Platform, 'store' | 'clock' | 'journal'>,
    caller: Caller,
    id: string,
  ) => Promise<void>
}
