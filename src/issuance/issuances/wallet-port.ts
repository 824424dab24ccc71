import type { TenantId, UserId } from '../../caller.ts'
import type { RecipientIdentifier } from '../../directory/users/find-recipient.ts'
import type { Actor } from '../../events/audit/entry.ts'
import type { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import type { CredentialTemplateFormat } from '../templates/template.ts'

/** The organisation of a delivery and the actor in it. */
export type DeliverySender = { readonly tenantId: TenantId; readonly tenantSlug: string; readonly by: Actor }

/** The credential offer of an issuance and the user who receives it. */
export type IssuedOffer = {
  /** Id of the delivery; a repeated request has the same one. */
  readonly id: string
  readonly issuanceId: string
  readonly format: CredentialTemplateFormat
  readonly offerUri: string
  readonly txCode: string | null
  readonly recipient: RecipientIdentifier
  /** JSON pointer to the user in the request (RFC 6901). */
  readonly pointer: string
}

/** A delivery as in our API; `error` has a `code` when it failed. */
export type DeliveryReport = Readonly<Record<string, unknown>> & { readonly id: string; readonly status: string }

/** A planned delivery. If the process dies after `insert`, a job runs it. */
export type IssuanceDelivery = {
  /** The user who receives it. */
  readonly userId: UserId
  readonly insert: (tx: TenantTx) => Promise<void>
  /** A refusal by the wallet is in the report, not thrown. */
  readonly run: () => Promise<DeliveryReport>
  /** Instead of `insert` and `run`: inserts it and enqueues its job. */
  readonly enqueue: (tx: TenantTx) => Promise<void>
}

/**
 * Delivers credentials into the wallets of the tenant's users. `wallet` is above `issuance`, so the roof passes it in.
 */
export type WalletPort = {
  /**
   * Plans a delivery; writes nothing. Refuses deliveries that are known to fail.
   *
   * @throws Fault `resource.unknown` for an unknown user, `state.invalid` for a disabled one, `offer.format`
   */
  readonly plan: (platform: Platform, sender: DeliverySender, offer: IssuedOffer) => Promise<IssuanceDelivery>
  /**
   * Returns for each of these users why `plan` would refuse a delivery of that format now; null where it would not.
   *
   * @param recipients At most 1,000.
   */
  readonly refusals: (
    platform: Platform,
    sender: Pick<DeliverySender, 'tenantId'>,
    about: Pick<IssuedOffer, 'format' | 'pointer'> & { readonly recipients: readonly RecipientIdentifier[] },
  ) => Promise<readonly (Fault | null)[]>
  /** Resumes the delivery of a repeated request. @returns null if there is none */
  readonly resume: (platform: Platform, sender: DeliverySender, id: string) => Promise<DeliveryReport | null>
}
