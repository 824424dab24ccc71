import type { Platform } from '../../platform.ts'
import type { Client } from './client.ts'
import { touchClient } from './client-store.ts'

/** How exact the time of the last use is. */
const EXACT_MS = 300_000

/** Records that a client authenticated: one statement at most every five minutes, however often it does. */
export async function noteClientUse(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  client: Client,
): Promise<void> {
  const now = clock.now()
  const before = new Date(now.getTime() - EXACT_MS)
  if (client.lastUsedAt !== null && client.lastUsedAt > before) return
  await store.single(client.tenantId, (tx) => touchClient(tx, client.clientId, before, now))
}
