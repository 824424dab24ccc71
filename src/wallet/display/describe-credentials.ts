import type { TenantId, UserId } from '../../caller.ts'
import type { CredentialDetails } from '../../contract/wallet/card-display.ts'
import type { Platform } from '../../platform.ts'
import { type DetailsRow, listDetailsRows } from './display-store.ts'
import { displayIn } from './kept-display.ts'
import { type IssuerTrust, knownIssuer } from './known-issuer.ts'
import { endsSoon } from './life.ts'

/** What describing credentials takes of the platform. */
export type DisplayNeeds = Pick<Platform, 'store' | 'clock' | 'urls' | 'memory'>

/**
 * Returns what the wallet knows about credentials of a user besides their claims, by id: one statement for all of them.
 *
 * @param language `Accept-Language` of the caller.
 */
export async function describeCredentials(
  platform: DisplayNeeds,
  { tenantId, userId }: { readonly tenantId: TenantId; readonly userId: UserId | null },
  ids: readonly string[],
  language: string | undefined,
): Promise<ReadonlyMap<string, CredentialDetails>> {
  if (userId === null || ids.length === 0) return new Map()
  const now = platform.clock.now()
  const rows = await platform.store.single(tenantId, (tx) => listDetailsRows(tx, userId, ids, now))
  const described = rows.map(async (row) => {
    const { trust } = await knownIssuer(platform, tenantId, row.credentialIssuer)
    return [row.id, detailsOf(row, trust, language, now)] as const
  })
  return new Map(await Promise.all(described))
}

function detailsOf(row: DetailsRow, trust: IssuerTrust, language: string | undefined, now: Date): CredentialDetails {
  const { credentialIssuer, display, images, standing, checkedAt, validFrom, expiresAt, createdAt } = row
  const { issuerName, ...shown } =
    display === null ? { issuerName: null, name: null, labels: [] } : displayIn(display, language)
  return {
    display: {
      ...shown,
      issuer: { name: issuerName, identifier: credentialIssuer, trust },
      ...(images.length > 0 && { images: [...images] }),
    },
    ...(standing !== null && { standing: { status: standing, checkedAt: checkedAt?.toISOString() ?? null } }),
    validFrom: validFrom.toISOString(),
    validUntil: expiresAt?.toISOString() ?? null,
    receivedAt: createdAt.toISOString(),
    endsSoon: !row.isRefilled && endsSoon(row, now),
    ...(row.newerId !== null && { newerId: row.newerId }),
  }
}
