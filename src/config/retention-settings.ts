import { setting } from './setting.ts'
import { integer, text } from './setting-types.ts'

/** How long what ended is kept. */
export const retentionSettings = {
  offerRetentionDays: setting(
    'OFFER_RETENTION_DAYS',
    integer(1, 3650),
    90,
    'Days after which issuances that came to nothing (failed, expired, canceled) are deleted. Their audit entries stay.',
  ),
  credentialRetentionDays: setting(
    'CREDENTIAL_RETENTION_DAYS',
    integer(1, 36_500),
    365,
    'Days after the end of a credential (validUntil) after which its issuance is deleted, and its status list once all credentials in it were. Credentials without an end are kept. Their audit entries stay.',
  ),
  requestRetentionDays: setting(
    'REQUEST_RETENTION_DAYS',
    integer(1, 3650),
    90,
    'Days after which presentation requests that ended are deleted, once their result was cleared. Their audit entries stay.',
  ),
  deliveryRetentionDays: setting(
    'DELIVERY_RETENTION_DAYS',
    integer(1, 3650),
    30,
    'Days after which ended deliveries are deleted: those of webhooks, and those of credentials and requests to wallets.',
  ),
  historyRetentionDays: setting(
    'HISTORY_RETENTION_DAYS',
    integer(1, 36_500),
    3650,
    "Days after which a wallet's history of presentations that ended and of removed credentials is deleted. Holders delete their own earlier.",
  ),
  auditAddressDays: setting(
    'AUDIT_ADDRESS_DAYS',
    integer(1, 3650),
    90,
    'Days after which network addresses are removed from the audit trail. The entries stay.',
  ),
  auditRetentionDays: setting(
    'AUDIT_RETENTION_DAYS',
    integer(60, 36_500),
    null,
    'Days after whose end a month of the audit trail is written to AUDIT_ARCHIVE and dropped from the database. Longer than DELIVERY_RETENTION_DAYS. Without it the audit trail is kept for ever.',
  ),
  auditArchive: setting(
    'AUDIT_ARCHIVE',
    text(),
    null,
    'Folder to which months of the audit trail are written before they are dropped (docs/operations.md). One that all servers share.',
  ),
} as const
