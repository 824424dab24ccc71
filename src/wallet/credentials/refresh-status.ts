import type { TenantId } from '../../caller.ts'
import { isHaipTenant } from '../../directory/tenants/haip-tenant.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { resolveMdocIssuer } from '../../trust/issuers/mdoc-issuer.ts'
import { resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { type ReadStatus, readStatus } from '../../trust/status-lists/check-status.ts'
import { trustedAnchors } from '../../trust/trusted-entities/tenant-trust.ts'
import { recordForUser } from '../push/record-for-user.ts'
import { claimsOf, type Standing } from './credential.ts'
import {
  type DueCredential,
  listTenantsWithDueStandings,
  takeDueStandings,
  updateStanding,
} from './held-status-store.ts'
import { openRaw } from './sealed-copy.ts'

const PER_TURN = 20
/** The shortest time between two checks, whatever a list allows. */
const EVERY_MS_MIN = 15 * 60_000
/** The time until the next check after a failed one. */
const AGAIN_MS = 3_600_000

/**
 * Checks the status of held credentials, as often as their lists' `ttl` says, and records changes as events for the holder. A list out of
 * reach changes nothing. Bounded: some credentials of each tenant in turn, until the time of the sweep is over.
 */
export async function refreshStandings(platform: Platform, signal: AbortSignal): Promise<void> {
  const { store, clock } = platform
  const due = await store.across('tenants with credentials whose status is due', (tx) =>
    listTenantsWithDueStandings(tx, clock.now()),
  )
  for (const tenantId of due) {
    if (signal.aborted) return
    const now = clock.now()
    const times = { now, againAt: new Date(now.getTime() + AGAIN_MS), countMax: PER_TURN }
    for (const one of await store.single(tenantId, (tx) => takeDueStandings(tx, times))) {
      if (signal.aborted) return
      await refresh(platform, tenantId, one)
    }
  }
}

async function refresh(platform: Platform, tenantId: TenantId, held: DueCredential): Promise<void> {
  const { store, clock, sealing, log } = platform
  const now = clock.now()
  const found = await statusOf(platform, tenantId, await openRaw(sealing, tenantId, held), held, now).catch((error) => {
    if (!(error instanceof Fault)) throw error
    log.info({ code: error.code }, 'the status of a held credential could not be checked')
    return null
  })
  const standing = found === null ? null : standingOf(found)
  if (standing === null) return
  const soonest = now.getTime() + EVERY_MS_MIN
  const checkAt = standing === 'revoked' ? null : new Date(Math.max(found?.freshUntil?.getTime() ?? 0, soonest))
  await store.inTenant(tenantId, async (tx) => {
    const before = await updateStanding(tx, held.id, standing, { checkAt, checkedAt: now })
    if (before === null || before === standing) return
    const change = standing === 'valid' ? 'reinstated' : standing
    const about = {
      subject: { kind: 'wallet_credential', id: held.id },
      by: { kind: 'issuer', id: held.credentialIssuer },
    } as const
    await record(tx, { ...about, action: `wallet_credential.${change}`, detail: { before } }, now)
    const detail = { kind: 'standing', userId: held.userId, credentialIds: [held.id], standing }
    await recordForUser(tx, { ...about, action: 'user.notification', detail }, held.userId, now)
  })
}

/** Checks the first copy only: the issuer changes the status of all copies of a credential. */
async function statusOf(
  platform: Platform,
  tenantId: TenantId,
  raw: string,
  { format }: DueCredential,
  now: Date,
): Promise<ReadStatus> {
  const anchors = () => trustedAnchors(platform, tenantId)
  if (format === 'mso_mdoc') {
    const mdoc = parseIssuerSigned(raw)
    return readStatus(
      platform,
      mdoc.mso.status,
      await resolveMdocIssuer(platform, mdoc, now, anchors),
      now,
      anchors,
      'cwt',
    )
  }
  const issuer = await resolveIssuer(platform, parseSdJwt(raw).jwt, now, anchors)
  const form = (await isHaipTenant(platform, tenantId)) ? 'certified-jwt' : 'jwt'
  return readStatus(platform, claimsOf(raw).status, issuer, now, anchors, form)
}

/** @returns null if the list is out of reach or not valid */
function standingOf({ findings, freshUntil }: ReadStatus): Standing | null {
  const codes = findings.map(({ code }) => code)
  if (codes.includes('status.revoked')) return 'revoked'
  if (codes.includes('status.suspended')) return 'suspended'
  return codes.length === 0 && freshUntil !== null ? 'valid' : null
}
