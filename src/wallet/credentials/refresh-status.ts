import type { Caller, TenantId, UserId } from '../../caller.ts'
import type { CheckedStatus } from '../../contract/wallet/card-display.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import type { Standing } from '../../protocols/status-list/packed-list.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { resolveMdocIssuer } from '../../trust/issuers/mdoc-issuer.ts'
import { resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { type ReadStatus, readStatus } from '../../trust/status-lists/check-status.ts'
import { trustedAnchors } from '../../trust/trusted-entities/tenant-trust.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { recordForUser } from '../push/record-for-user.ts'
import { claimsOf, type HeldCredential } from './credential.ts'
import { findCredential } from './credential-store.ts'
import {
  type DueCredential,
  hastenOlderStandings,
  listOlderStandings,
  listTenantsWithDueStandings,
  takeDueStandings,
  updateStanding,
} from './held-status-store.ts'
import { holderOf } from './holder.ts'
import { openRaw } from './sealed-copy.ts'

const PER_TURN = 20
/** The shortest time between two checks, whatever a list allows. */
const EVERY_MS_MIN = 15 * 60_000
/** The time until the next check after a failed one. */
const AGAIN_MS = 3_600_000
/** How long the request of a holder waits for the check of a status. */
const WAIT_MS_MAX = 4000
/** Where a person waits for the status, a list is not fetched again within this time. */
const LIST_AGE_MS_MAX = 60_000
/** The most credentials whose status is looked up for one request, and how long its person waits for that. */
const LOOK_UPS_MAX = 16
const PROPOSAL_MS_MAX = 2000

/**
 * Checks the status of held credentials, as often as their lists' `ttl` says, and records changes as events for the
 * holder. A list out of reach changes nothing. Bounded: some credentials of each tenant in turn, until the time of the
 * sweep is over.
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
      await refreshStanding(platform, tenantId, one)
    }
  }
}

/**
 * Checks the status of one held credential, and records a change as an event for the holder. May run concurrently: the
 * change is recorded once.
 *
 * @param ageMsMax A list that was fetched longer ago is fetched again, also before its `ttl` is over.
 * @returns null if the list could not be read; nothing changes then
 */
async function refreshStanding(
  platform: Platform,
  tenantId: TenantId,
  held: DueCredential,
  ageMsMax?: number,
): Promise<Standing | null> {
  const { store, clock, sealing, log } = platform
  const now = clock.now()
  const raw = await openRaw(sealing, tenantId, held)
  const found = await statusOf(platform, tenantId, raw, { format: held.format, now, ageMsMax }).catch((error) => {
    if (!(error instanceof Fault)) throw error
    log.info({ code: error.code }, 'the status of a held credential could not be checked')
    return null
  })
  const standing = found === null ? null : standingOf(found)
  if (standing === null) return null
  const soonest = now.getTime() + EVERY_MS_MIN
  const checkAt = standing === 'revoked' ? null : new Date(Math.max(found?.freshUntil?.getTime() ?? 0, soonest))
  await store.inTenant(tenantId, async (tx) => {
    const before = await updateStanding(tx, held.id, standing, { checkAt, checkedAt: found?.readAt ?? now })
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
  return standing
}

/**
 * Checks the status of a credential now, at the request of its holder, also before the `ttl` of its list is over. A
 * status list of this deployment is read anew each time, a foreign one if it was fetched more than a minute ago. A
 * revoked credential is not checked again.
 *
 * @throws Fault `holder.missing`, `resource.unknown`, `request.rate_limited`
 */
export async function checkStatusNow(platform: Platform, caller: Caller, id: string): Promise<CheckedStatus> {
  const userId = holderOf(caller)
  const { tenantId } = caller
  const held = await platform.store.single(tenantId, (tx) => findCredential(tx, userId, id))
  if (held === null) throw new Fault('resource.unknown')
  const standing = async () => (await describeCredentials(platform, caller, [id], undefined)).get(id)?.standing
  const before = await standing()
  if (before === undefined || before.status === 'revoked') return shown(before, false)
  if (!held.credentialIssuer.startsWith(`${platform.config.publicUrl}/`)) countCheck(platform, `${tenantId} ${userId}`)
  const work = refreshStanding(platform, tenantId, { ...held, userId }, LIST_AGE_MS_MAX)
  const checked = await withTimeLimit(work, WAIT_MS_MAX, () => new Fault('upstream.timeout')).catch(
    (error: unknown) => {
      if (!(error instanceof Fault)) throw error
      return null
    },
  )
  const isChecked = checked !== null
  return shown(isChecked ? await standing() : before, isChecked)
}

function shown(standing: CheckedStatus['standing'], isChecked: boolean): CheckedStatus {
  return { ...(standing !== undefined && { standing }), isChecked }
}

function countCheck({ rateLimiter, clock }: Platform, key: string): void {
  rateLimiter.admit('wallet.status_checks', key, clock.now())
  rateLimiter.count('wallet.status_checks', key, clock.now())
}

/**
 * Looks up and records the status of held credentials that have a status list. Lists of different issuers are fetched
 * concurrently; for credentials of one issuer one after the other, because they share lists: the first look-up
 * fetches the list, and the others read the cached one. At most 16 credentials and two seconds, however many lists do
 * not answer.
 *
 * @param held The preferred ones first.
 * @returns the status by id; without those whose status could not be had within these bounds
 */
export async function lookUpStandings(
  platform: Platform,
  { tenantId, userId }: { readonly tenantId: TenantId; readonly userId: UserId },
  held: readonly Pick<HeldCredential, 'id' | 'credentialIssuer'>[],
): Promise<ReadonlyMap<string, Standing>> {
  const found = new Map<string, Standing>()
  const end = new AbortController()
  const lookUp = async (ids: readonly string[]) => {
    for (const id of ids) {
      if (end.signal.aborted) return
      const one = await platform.store.single(tenantId, (tx) => findCredential(tx, userId, id))
      const standing = one && (await refreshStanding(platform, tenantId, { ...one, userId }, LIST_AGE_MS_MAX))
      if (standing !== null) found.set(id, standing)
    }
  }
  const byIssuer = Map.groupBy(held.slice(0, LOOK_UPS_MAX), ({ credentialIssuer }) => credentialIssuer)
  const work = Promise.all([...byIssuer.values()].map((some) => lookUp(some.map(({ id }) => id))))
  try {
    await withTimeLimit(work, PROPOSAL_MS_MAX, () => new Fault('upstream.timeout'))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
  } finally {
    end.abort()
  }
  // a look-up that ends later must not change what was returned
  return new Map(found)
}

/**
 * Checks the status of older credentials that this one may replace, once their issuer was told that it was accepted, in
 * the bounds of {@link lookUpStandings}. What is not revoked by then is due again a minute later.
 */
export async function lookUpOlderStandings(platform: Platform, tenantId: TenantId, newerId: string): Promise<void> {
  const { store, clock } = platform
  const older = await store.single(tenantId, (tx) => listOlderStandings(tx, newerId, LOOK_UPS_MAX))
  const [newest] = older
  if (newest === undefined) return
  const { userId } = newest
  await lookUpStandings(platform, { tenantId, userId }, older)
  await store.single(tenantId, (tx) => hastenOlderStandings(tx, userId, newerId, clock.now()))
}

/** Checks the first copy only: the issuer changes the status of all copies of a credential. */
async function statusOf(
  platform: Platform,
  tenantId: TenantId,
  raw: string,
  asked: Pick<DueCredential, 'format'> & { readonly now: Date; readonly ageMsMax: number | undefined },
): Promise<ReadStatus> {
  const { format, now, ageMsMax } = asked
  const anchors = () => trustedAnchors(platform, tenantId)
  const needs = { ...platform, tenantId }
  if (format === 'mso_mdoc') {
    const mdoc = parseIssuerSigned(raw)
    const issuer = await resolveMdocIssuer(needs, mdoc, now, anchors)
    return readStatus(needs, mdoc.mso.status, issuer, now, anchors, 'cwt', ageMsMax)
  }
  const issuer = await resolveIssuer(needs, parseSdJwt(raw).jwt, now, anchors)
  const { trusting } = await findPolicyOf(platform, tenantId)
  return readStatus(needs, claimsOf(raw).status, issuer, now, anchors, trusting.statusListForm, ageMsMax)
}

/** @returns null if the list is out of reach or not valid */
function standingOf({ findings, freshUntil }: ReadStatus): Standing | null {
  const codes = findings.map(({ code }) => code)
  if (codes.includes('status.revoked')) return 'revoked'
  if (codes.includes('status.suspended')) return 'suspended'
  return codes.length === 0 && freshUntil !== null ? 'valid' : null
}
