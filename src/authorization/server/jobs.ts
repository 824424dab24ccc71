import { every, type Schedule } from '../../jobs/schedule.ts'
import { platformTenantId } from '../../store/store.ts'
import { deleteExpiredAssertions } from './assertion-store.ts'

const ROTATION_DAYS = 90

/** Sweeps of the authorization server. */
export const authorizationSchedules: readonly Schedule[] = [
  every(
    ROTATION_DAYS * 86_400,
    'authorization.rotate-access-token-key',
    ({ keys }) => keys.rotate(platformTenantId, 'access-token'),
    { startsAtOnce: false },
  ),
  every(3600, 'authorization.delete-assertions', ({ store, clock }) =>
    store.across('expired assertions of all tenants', (tx) => deleteExpiredAssertions(tx, clock.now())),
  ),
]
