import type { Caller, TenantId, UserId } from '../../caller.ts'
import type { ShareableClaims } from '../../contract/wallet/card-links.ts'
import { memberOf } from '../../crypto/json.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { pathText, walkValues } from '../../protocols/claim-tree.ts'
import { PathSet } from '../../protocols/sd-jwt-vc/claim-path.ts'
import { type ProcessedSdJwt, processSdJwt } from '../../protocols/sd-jwt-vc/process-sd-jwt.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { subjectClaims } from '../credentials/credential.ts'
import { findCredential } from '../credentials/credential-store.ts'
import { holderOf } from '../credentials/holder.ts'
import { openRaw } from '../credentials/sealed-copy.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'memory'>

/** Values of a credential, those inside others included, that can be listed, and so be shared by a link. */
const VALUES_MAX = 1000

/** Returns whether the people of a tenant may create links; up to 5 s old. */
export async function sharesByLink(needs: Pick<Platform, 'store' | 'clock' | 'memory'>, tenantId: TenantId) {
  return (await findPolicyOf(needs, tenantId)).holding.sharesByLink
}

/**
 * Returns a credential from which a link may be made, with one of its copies.
 *
 * @throws Fault `holder.missing`, `resource.unknown`, `shared_link.off`, `shared_link.format`, `credential.unmatched`
 */
export async function getShareable(
  needs: Needs,
  caller: Caller,
  id: string,
): Promise<{ readonly userId: UserId; readonly vct: string; readonly raw: string }> {
  const { store, sealing, clock } = needs
  const { tenantId } = caller
  const userId = holderOf(caller)
  if (!(await sharesByLink(needs, tenantId))) throw new Fault('shared_link.off')
  const found = await store.single(tenantId, (tx) => findCredential(tx, userId, id))
  if (found === null) throw new Fault('resource.unknown')
  if (found.status !== 'accepted' || (found.expiresAt !== null && found.expiresAt <= clock.now()))
    throw new Fault('credential.unmatched', { detail: 'The credential is not accepted, or has expired.' })
  if (found.format !== 'vc+sd-jwt') throw new Fault('shared_link.format')
  const raw = await openRaw(sealing, tenantId, found)
  // Without a key of the holder nothing would tie the presentation to its link.
  if (memberOf(parseSdJwt(raw).jwt.payload, 'cnf') === undefined) throw new Fault('shared_link.format')
  return { userId, vct: found.vct, raw }
}

/**
 * Returns what a link can share of a credential.
 *
 * @throws Fault as {@link getShareable}, `shared_link.too_large`
 */
export async function getShareableClaims(needs: Needs, caller: Caller, id: string): Promise<ShareableClaims> {
  const { raw } = await getShareable(needs, caller, id)
  return shareableOf(processSdJwt(parseSdJwt(raw)))
}

/** Each outermost disclosure can be selected; what is in none is always shared. */
function shareableOf({ payload, disclosed }: ProcessedSdJwt): ShareableClaims {
  const claims = subjectClaims(payload)
  const exact = new Set(disclosed.map(({ path }) => JSON.stringify(path)))
  const around = new PathSet(disclosed.map(({ path }) => path))
  const always: ShareableClaims['always'] = []
  const selectable: ShareableClaims['selectable'] = []
  let count = 0
  walkValues(claims, null, () => {
    count += 1
    return null
  })
  if (count > VALUES_MAX) throw new Fault('shared_link.too_large')
  walkValues(claims, null, (value, at) => {
    const isSelectable = exact.has(JSON.stringify(at))
    // A value that has disclosures inside is listed part by part.
    if (!isSelectable && around.touches(at)) return null
    const listed = isSelectable ? selectable : always
    listed.push({ path: [...at], value })
    return false
  })
  return { always, selectable }
}

/** Returns the names of what a presentation shares, dotted, each once; `[]` stands for the elements of an array. */
export function sharedNames(presentation: string): string[] {
  const names = new Set<string>()
  walkValues(subjectClaims(processSdJwt(parseSdJwt(presentation)).payload), null, (value, at) => {
    const isInside = typeof value === 'object' && value !== null && Object.keys(value).length > 0
    if (isInside) return null
    names.add(pathText(at.map((step) => (typeof step === 'number' ? null : step))))
    return false
  })
  return [...names]
}
