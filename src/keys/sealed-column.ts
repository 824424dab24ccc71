import type { TenantId } from '../caller.ts'
import { readOwnJson } from '../crypto/json.ts'
import { BrokenSeal, type Sealing } from './sealing.ts'

/** Seals and opens the values of one column. `row`: the id of the row that the seal is bound to. */
type SealedColumn<T> = {
  readonly seal: (sealing: Sealing, tenantId: TenantId, row: string, value: T) => Promise<Buffer>
  readonly open: (sealing: Sealing, tenantId: TenantId, row: string, sealed: Buffer) => Promise<T>
}

/** Returns an opened value to show; null if its seal is broken, which is logged: one such row does not fail a list. */
export async function shownOf<T>(
  log: { readonly error: (about: object, message: string) => void },
  opening: Promise<T>,
  about: Readonly<Record<string, string>>,
): Promise<T | null> {
  try {
    return await opening
  } catch (error) {
    if (!(error instanceof BrokenSeal)) throw error
    log.error({ err: error, ...about }, 'a sealed value could not be opened, and is not shown')
    return null
  }
}

/** Returns a column of sealed strings. */
export function sealedText(table: string, column: string): SealedColumn<string> {
  return {
    seal: (sealing, tenantId, row, value) => sealing.seal({ tenantId, table, column, row }, value),
    open: async (sealing, tenantId, row, sealed) =>
      (await sealing.open({ tenantId, table, column, row }, sealed)).toString('utf8'),
  }
}

/** Returns a column of sealed JSON. */
export function sealedJson<T>(table: string, column: string): SealedColumn<T> {
  return {
    seal: (sealing, tenantId, row, value) => sealing.seal({ tenantId, table, column, row }, JSON.stringify(value)),
    // The seal proves that the value was written by `seal`.
    open: async (sealing, tenantId, row, sealed) =>
      readOwnJson(await sealing.open({ tenantId, table, column, row }, sealed)) as T,
  }
}
