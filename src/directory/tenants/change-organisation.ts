import { isDeepStrictEqual } from 'node:util'
import { type Caller, holds } from '../../caller.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import { Fault, type Violation } from '../../fault.ts'
import { keptLogoUri } from '../../pages/look/organisation.ts'
import type { Platform } from '../../platform.ts'
import { imageInDataUri } from '../../protocols/image.ts'
import { forgetTenants } from './find-tenant.ts'
import { deleteLogo, type KeptLogo, keepLogo } from './logo-store.ts'
import { changedSettings, isAppearance, type OrganisationChange, type OrganisationRecord } from './organisation.ts'
import { findOrganisation, updateOrganisation } from './organisation-store.ts'
import { settingMistakes } from './setting-mistakes.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls'>

const ATTEMPTS_MAX = 10

/** Returns the organisation of the caller, as it is now. @throws Fault `resource.unknown` if it is disabled */
export async function getOrganisation({ store }: Needs, { tenantId }: Caller): Promise<OrganisationRecord> {
  const found = await store.single(tenantId, findOrganisation)
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/**
 * Changes the members that are given. This process uses them at once, the others within five seconds. A logo that is
 * given as a picture is kept, and the setting is its address.
 *
 * @param isExpected Whether the organisation is still the one that the change was made from.
 * @throws Fault `scope.missing` for a member that only an owner may change, `request.invalid`, `state.conflict` for a
 *   member that the bootstrap file names, `resource.changed`
 */
export async function changeOrganisation(
  needs: Needs,
  caller: Caller,
  change: OrganisationChange,
  isExpected: (current: OrganisationRecord) => boolean = () => true,
): Promise<OrganisationRecord> {
  checkScope(caller, change)
  const violations = changeViolations(change)
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  const image = imageInDataUri(change.logoUri ?? '')
  const logo = image === null ? null : { ...image, digest: sha256Base64url(image.bytes) }
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const current = await getOrganisation(needs, caller)
    if (!isExpected(current)) throw new Fault('resource.changed')
    const kept = logo === null ? {} : { logoUri: keptLogoUri(needs.urls, current.slug, logo.digest) }
    const changed = await attemptChange(needs, caller, current, { change: { ...change, ...kept }, logo })
    if (changed !== null) return changed
  }
  throw new Fault('state.conflict', { detail: 'The organisation was changed again and again meanwhile. Try again.' })
}

/** Returns what is wrong with the given members. A reset to the default is never wrong. */
export function changeViolations(change: OrganisationChange): readonly Violation[] {
  return settingMistakes(changedSettings({}, change))
}

/** Returns null if the organisation was changed concurrently. */
async function attemptChange(
  needs: Needs,
  caller: Caller,
  current: OrganisationRecord,
  { change, logo }: { readonly change: OrganisationChange; readonly logo: KeptLogo | null },
): Promise<OrganisationRecord | null> {
  refuseFileMembers(current, change)
  const to = { name: change.name ?? current.name, settings: changedSettings(current.settings, change) }
  if (isDeepStrictEqual(to, { name: current.name, settings: { ...current.settings } })) return current
  const now = needs.clock.now()
  const entry = {
    action: 'tenant.changed',
    subject: { kind: 'tenant', id: caller.tenantId },
    by: caller,
    detail: { members: Object.keys(change) },
  } as const
  const isOtherLogo = to.settings.logoUri !== current.settings.logoUri
  const changed = await needs.store.inTenant(caller.tenantId, async (tx) => {
    const updated = await updateOrganisation(tx, current.catalogVersion, to, entry, now)
    if (updated === null || !isOtherLogo) return updated
    if (logo === null) await deleteLogo(tx)
    else await keepLogo(tx, logo, now)
    return updated
  })
  forgetTenants(needs)
  return changed
}

function checkScope(caller: Caller, change: OrganisationChange): void {
  if (holds(caller, 'tenant:admin') || !Object.keys(change).some(isAppearance)) return
  const detail = 'The token lacks the scope tenant:admin, which is needed for all but the policies.'
  throw new Fault('scope.missing', { detail, meta: { requiredScope: 'tenant:admin' } })
}

/** As for clients: applied again the file would undo the change. */
function refuseFileMembers({ fileMembers }: OrganisationRecord, change: OrganisationChange): void {
  const governed = Object.keys(change).filter((one) => fileMembers.includes(one))
  if (governed.length === 0) return
  const detail =
    'The bootstrap file names this member and would undo the change when it is applied again. Change it there.'
  const violations = governed.map((one) => ({ pointer: `/${one}`, detail, rule: 'file.declared' as const }))
  throw new Fault('state.conflict', { detail, violations })
}
