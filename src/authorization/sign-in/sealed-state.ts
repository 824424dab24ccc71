import { isBase64url } from '../../crypto/base64url.ts'
import { sha256 } from '../../crypto/digest.ts'
import { isJsonObject, type Json, type JsonObject, readOwnJson } from '../../crypto/json.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { insertSpentState } from './spent-state-store.ts'

/** What a state is for: one kind is never accepted for another. */
type StateKind = 'choice' | 'passkey-registration' | 'passkey-sign-in' | 'provider'

/** A state that was opened. `hash` identifies it when it is spent. */
export type OpenedState = { readonly values: JsonObject; readonly hash: Buffer; readonly expiresAt: Date }

type Needs = Pick<Platform, 'sealing' | 'clock'>

const CHARS_MAX = 8192

/**
 * Seals the state of a sign-in that is not complete, for a browser to carry: it can neither read nor change it. Ends
 * after `ttlSeconds`.
 *
 * @returns base64url, for a cookie or a hidden field.
 */
export async function sealState(
  { sealing, clock }: Needs,
  kind: StateKind,
  values: JsonObject,
  ttlSeconds: number,
): Promise<string> {
  const state: Json = { values, expiresAt: clock.now().getTime() + ttlSeconds * 1000 }
  return (await sealing.seal(placeOf(kind), JSON.stringify(state))).toString('base64url')
}

/**
 * Opens a sealed state; null if it is not one of this kind or has expired. Whether it was used before is NOT checked.
 */
export async function unsealState(
  { sealing, clock }: Needs,
  kind: StateKind,
  text: string,
): Promise<OpenedState | null> {
  if (text.length > CHARS_MAX || !isBase64url(text)) return null
  const opened = await sealing.open(placeOf(kind), Buffer.from(text, 'base64url')).catch(() => null)
  const state = opened === null ? null : readOwnJson(opened)
  if (!isJsonObject(state) || !isJsonObject(state.values) || typeof state.expiresAt !== 'number') return null
  if (state.expiresAt <= clock.now().getTime()) return null
  return { values: state.values, hash: sha256(text), expiresAt: new Date(state.expiresAt) }
}

/**
 * Spends a state. Returns false if it was spent before; of two concurrent requests, in whatever process, one gets true.
 */
export function spendState({ store }: Pick<Platform, 'store'>, { hash, expiresAt }: OpenedState): Promise<boolean> {
  return store.single(platformTenantId, (tx) => insertSpentState(tx, hash, expiresAt))
}

function placeOf(kind: StateKind) {
  return { tenantId: platformTenantId, table: 'sign_in_state', column: kind, row: '' }
}
