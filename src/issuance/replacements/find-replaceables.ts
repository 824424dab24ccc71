import type { TenantId } from '../../caller.ts'
import type { CreateIssuanceBody } from '../../contract/issuance/issuances.ts'
import type { Platform } from '../../platform.ts'
import { issuanceIdOf } from '../issuances/credential-id.ts'
import { findReplaceable, findReplaceableByReferences, type Replaceable } from './replacement-store.ts'

/** Ids or references that one statement looks up. */
const LOOK_UP_MAX = 1000

/** From which template, and for the items of which batch credentials are replaced; null: of none. */
export type ReplacementScope = { readonly templateId: string; readonly batchId: string | null }

/** What was found. Of one reference two at most. */
export type ReplaceableIn = {
  /** @param id Of the credential, or of its issuance. */
  readonly byId: (id: string) => readonly Replaceable[]
  readonly byReference: (reference: string) => readonly Replaceable[]
}

/**
 * Finds the credentials that are named by id, or by the reference of one from the template.
 *
 * @param asked Any number: a thousand at a time are looked up.
 */
export async function findReplaceables(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  tenantId: TenantId,
  { templateId, batchId }: ReplacementScope,
  asked: readonly Pick<NonNullable<CreateIssuanceBody['replaces']>, 'id' | 'reference'>[],
): Promise<ReplaceableIn> {
  const now = clock.now()
  const named = asked.flatMap(({ id }) => (id === undefined ? [] : idsOf(id)))
  const withIds = await each(named, (ids) => store.single(tenantId, (tx) => findReplaceable(tx, ids, now)))
  const references = asked.flatMap(({ id, reference }) =>
    id === undefined && reference !== undefined ? reference : [],
  )
  const withReferences = await each([...new Set(references)], (some) =>
    store.single(tenantId, (tx) => findReplaceableByReferences(tx, { references: some, templateId, batchId }, now)),
  )
  const byId = Map.groupBy(withIds, ({ id }) => id)
  const byReference = Map.groupBy(withReferences, ({ reference }) => reference)
  return {
    byId: (id) => idsOf(id).flatMap((one) => byId.get(one) ?? []),
    byReference: (reference) => byReference.get(reference) ?? [],
  }
}

function idsOf(id: string): readonly string[] {
  const written = id.toLowerCase()
  return [written, issuanceIdOf(written)]
}

async function each<T>(all: readonly string[], find: (some: string[]) => Promise<readonly T[]>): Promise<readonly T[]> {
  const found: T[] = []
  for (let at = 0; at < all.length; at += LOOK_UP_MAX) found.push(...(await find(all.slice(at, at + LOOK_UP_MAX))))
  return found
}
