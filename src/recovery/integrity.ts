import type { TenantId } from '../caller.ts'
import type { Platform } from '../platform.ts'

/** One thing that is checked of each tenant. It changes nothing. */
export type IntegrityCheck = {
  /** As the report names it. */
  readonly name: string
  /** @returns a sentence for each fault, with the ids of the rows; at most 100 */
  readonly run: (platform: Platform, tenantId: TenantId) => Promise<readonly string[]>
}

/** What `chirograph verify` found. */
export type IntegrityReport = {
  readonly tenants: number
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
  const counts: Record<string, number> = Object.fromEntries(checks.map(({ name }) => [name, 0]))
  const faults: { tenantId: string; check: string; fault: string }[] = []
  for (const tenantId of tenants) {
    for (const { name, run } of checks) {
      const found = await run(platform, tenantId)
      counts[name] = (counts[name] ?? 0) + found.length
      faults.push(...found.slice(0, FAULTS_MAX - faults.length).map((fault) => ({ tenantId, check: name, fault })))
    }
  }
  return { tenants: tenants.length, checks: counts, faults }
}
