import type { TenantId } from '../../caller.ts'
import type { RecipientIdentifier } from '../../directory/users/find-recipient.ts'
import type { Actor } from '../../events/audit/entry.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import type { CredentialTemplateFormat } from '../templates/template.ts'

/** For whom a delivery is made, and who makes it. */
export type DeliverySender = { readonly tenantId: TenantId; readonly tenantSlug: string; readonly by: Actor }

/** What an issuance offers, and the user who is to have it. */
export type IssuedOffer = {
  /** Of the delivery. For work that is repeated, the same one. */
  readonly id: string
  readonly issuanceId: string
  readonly format: CredentialTemplateFormat
  readonly offerUri: string
  readonly txCode: string | null
  readonly recipient: RecipientIdentifier
  /** Where in the request the user is named (RFC 6901). */
  readonly pointer: string
}

/** The record of a delivery as our API shows it; `error` has a `code` when it failed. */
export type DeliveryReport = Readonly<Record<string, unknown>> & { readonly id: string; readonly status: string }

/** A delivery that only needs to be written. What was inserted and is not run, because the process died, is run by a job. */
export type IssuanceDelivery = {
  readonly insert: (tx: TenantTx) => Promise<void>
  /** Never throws what the wallet refuses: that is in the report. */
  readonly run: () => Promise<DeliveryReport>
  /** Instead of `insert` and `run`: writes it and hands it to a job. */
  readonly enqueue: (tx: TenantTx) => Promise<void>
}

/** How what is issued gets into the wallets of the tenant's own people. Wallets stand above issuers, so the roof hands it down. */
export type WalletPort = {
  /**
   * Refuses what is known to fail before anything is made. Writes nothing.
   *
   * @throws Fault `resource.unknown` for an unknown user, `state.invalid` for a disabled one, `offer.format`
   */
  readonly plan: (platform: Platform, sender: DeliverySender, parcel: IssuedOffer) => Promise<IssuanceDelivery>
  /** Goes on with a delivery that was begun by work that is repeated. @returns null if it never was */
  readonly resume: (platform: Platform, sender: DeliverySender, id: string) => Promise<DeliveryReport | null>
}
