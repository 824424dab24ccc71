import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'

const ROTATION_DAYS = 90

/** The rotation of the key of the wallet provider. */
export const issuerAccessSchedules: readonly Schedule[] = [
  every(ROTATION_DAYS * 86_400, 'wallet.rotate-provider-key', rotateKey, { startsAtOnce: false }),
]

async function rotateKey({ keys }: Platform): Promise<void> {
  await keys.rotate(platformTenantId, 'wallet-provider')
}
