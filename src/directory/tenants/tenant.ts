import type { TenantId } from '../../caller.ts'

/** An organisation on the platform. */
export type Tenant = {
  readonly id: TenantId
  /** Identifies the tenant in paths and in URLs for wallets. */
  readonly slug: string
  readonly name: string
  readonly settings: Readonly<Record<string, unknown>>
  /** Incremented with every change to what the tenant publishes. */
  readonly catalogVersion: number
}

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Whether a text may be the slug of an organisation. */
export function isSlug(text: string): boolean {
  return SLUG.test(text)
}
