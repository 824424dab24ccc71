import type { TenantId } from '../caller.ts'
import type { JsonObject } from '../crypto/json.ts'
import type { Platform } from '../platform.ts'
import type { TenantTx } from '../store/store.ts'

/** A recovery: `since` is the time of the backup that was restored. */
export type Recovery = { readonly now: Date; readonly since: Date }

/** Rows that one step changes at most in one transaction. A step that changed as many is run again. */
export const RESTORE_ROWS_MAX = 2000

/**
 * What a folder does with its rows of one tenant after an older state was restored: it ends what may have been used
 * since, and moves ahead what must not be used twice. Run again it does no harm.
 */
export type RestoreStep = {
  /** Of the rows, as the report names them: `offers ended`. */
  readonly name: string
  /** Changes at most {@link RESTORE_ROWS_MAX} rows, where there may be more. @returns how many */
  readonly run: (tx: TenantTx, recovery: Recovery) => Promise<number>
}

/** Repeats one kind of lines of the revocation journal for one tenant. */
export type JournalReplay = {
  readonly kind: 'status' | 'certificate'
  /** @returns how many lines changed something, and what a person has to do */
  readonly replay: (
    platform: Pick<Platform, 'store' | 'clock'>,
    tenantId: TenantId,
    lines: readonly JsonObject[],
  ) => Promise<{ readonly applied: number; readonly problems: readonly string[] }>
}

/** What one folder does after a restore. */
export type Restore = { readonly steps: readonly RestoreStep[]; readonly replays?: readonly JournalReplay[] }
