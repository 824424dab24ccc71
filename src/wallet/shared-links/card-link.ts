import type { SharedLink, SharedLinkStatus } from '../../contract/wallet/card-links.ts'
import type { Urls } from '../../platform.ts'

/** What a holder says of a link, and the names of what it shares. Sealed: it is personal. */
export type SharedLinkView = {
  readonly recipient: string
  readonly purpose: string
  /** The type of the credential. */
  readonly vct: string
  /** Claim paths, dotted; never a value. */
  readonly claims: readonly string[]
}

/** A link without what is sealed. `isUsable`: its credential is accepted. */
export type SharedLinkRow = {
  readonly id: string
  readonly credentialId: string
  readonly isUsable: boolean
  readonly views: number
  readonly viewedAt: Date | null
  /** The first 100 hours with views, in their order. */
  readonly viewHours: readonly Date[]
  /** By the position of the hour. */
  readonly viewCounts: readonly number[]
  readonly expiresAt: Date
  readonly endedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The `aud` of a link's key binding: an address that names the link, and opens nothing. */
export function audienceOf({ publicUrl }: Pick<Urls, 'publicUrl'>, id: string): string {
  return `${publicUrl}/shared-links/${id}`
}

/** Returns the state of a link at a moment. */
function sharedLinkStatusAt(
  { endedAt, expiresAt, isUsable }: Pick<SharedLinkRow, 'endedAt' | 'expiresAt' | 'isUsable'>,
  now: Date,
): SharedLinkStatus {
  if (endedAt !== null && endedAt < expiresAt) return 'ended'
  if (expiresAt <= now) return 'expired'
  return isUsable ? 'active' : 'ended'
}

/** Returns the hours in which a link was viewed. */
function viewsByHour({ viewHours, viewCounts }: SharedLinkRow): SharedLink['viewsByHour'] {
  return viewHours.map((hour, position) => ({ hour: hour.toISOString(), views: viewCounts[position] ?? 1 }))
}

/** Returns a link as the API shows it. */
export function showSharedLink(
  urls: Pick<Urls, 'publicUrl'>,
  row: SharedLinkRow,
  { recipient, purpose, claims }: SharedLinkView,
  now: Date,
): SharedLink {
  const { id, credentialId, createdAt, expiresAt, endedAt, views, viewedAt } = row
  return {
    id,
    credentialId,
    status: sharedLinkStatusAt(row, now),
    recipient,
    purpose,
    claims: [...claims],
    audience: audienceOf(urls, id),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    ...(endedAt !== null && { endedAt: endedAt.toISOString() }),
    views,
    ...(viewedAt !== null && { viewedAt: viewedAt.toISOString() }),
    viewsByHour: viewsByHour(row),
  }
}
