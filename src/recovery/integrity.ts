import type { TenantId } from '../caller.ts'
import type { Platform } from '../platform.ts'

/** One thing that is checked of each tenant. It changes nothing. */
export type IntegrityCheck = {
  /** As the report names it. */
  readonly name: string
  readonly run: (platform: Platform, tenantId: TenantId) => Promise<Examined>
}

/** What a check looked at in one tenant. */
type Examined = {
  /** How many values, entries or deliveries it looked at: none says nothing about the tenant. */
  readonly examined: number
  /** A sentence for each fault, with the ids of the rows; at most 100. */
  readonly faults: readonly string[]
}

/** What `chirograph verify` found. */
export type IntegrityReport = {
  readonly tenants: number
  /** How many values, entries or deliveries each check looked at. */
  readonly examined: Readonly<Record<string, number>>
  /** How many faults each check found. */
  readonly checks: Readonly<Record<string, number>>
  /** The first of them. */
  readonly faults: readonly { readonly tenantId: string; readonly check: string; readonly fault: string }[]
}

const FAULTS_MAX = 1000

/** Runs every check for every tenant, one after another; servers may run meanwhile. */
export async function verifyIntegrity(
  platform: Platform,
  checks: readonly IntegrityCheck[],
  tenants: readonly TenantId[],
): Promise<IntegrityReport> {
  const none = () => Object.fromEntries(checks.map(({ name }) => [name, 0]))
  const counts: Record<string, number> = none()
  const looked: Record<string, number> = none()
  const faults: { tenantId: string; check: string; fault: string }[] = []
  for (const tenantId of tenants) {
    for (const { name, run } of checks) {
      const { examined, faults: found } = await run(platform, tenantId)
      looked[name] = (looked[name] ?? 0) + examined
      counts[name] = (counts[name] ?? 0) + found.length
      faults.push(...found.slice(0, FAULTS_MAX - faults.length).map((fault) => ({ tenantId, check: name, fault })))
    }
  }
  return { tenants: tenants.length, examined: looked, checks: counts, faults }
}
