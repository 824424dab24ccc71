const DAY_MS = 86_400_000
const REMINDED_DAYS = 30
/** Of a credential with a short life, its last part of this size. */
const LAST_PART = 4

/** When a credential was issued, and until when it is valid; null: without end. */
type Life = { readonly issuedAt: Date; readonly expiresAt: Date | null }

/**
 * Returns when the holder of a credential is told that it ends: 30 days before, or at the beginning of the last quarter
 * of a life of less than 120 days. Null: it has no end.
 */
export function reminderOf({ issuedAt, expiresAt }: Life): Date | null {
  if (expiresAt === null) return null
  const life = expiresAt.getTime() - issuedAt.getTime()
  return new Date(expiresAt.getTime() - Math.min(REMINDED_DAYS * DAY_MS, Math.max(0, life) / LAST_PART))
}

/** Whether the time of {@link reminderOf} has come, and the credential is still valid. */
export function endsSoon(life: Life, now: Date): boolean {
  const from = reminderOf(life)
  return from !== null && life.expiresAt !== null && from <= now && now < life.expiresAt
}

/**
 * SQL: the id of the newest credential that its user received after the credential `c` from the same issuer, of the
 * same type, that is accepted and neither revoked nor ended; else null.
 *
 * @param now SQL of the time.
 */
export function newerCredential(now: string): string {
  return `(select n.id from wallet_credential n
     left join wallet_credential_standing ns on ns.tenant_id = n.tenant_id and ns.credential_id = n.id
   where n.tenant_id = c.tenant_id and n.user_id = c.user_id and n.vct = c.vct and n.credential_issuer = c.credential_issuer
     and n.id > c.id and n.status = 'accepted' and (n.expires_at is null or n.expires_at > ${now})
     and ns.standing is distinct from 'revoked'
   order by n.id desc limit 1)`
}

/**
 * SQL: as {@link newerCredential} where the credential `c`, with its standing `s`, is revoked or has ended; else null.
 * Issuers do not tell wallets what a credential replaces, so that the newer one is taken for it only then.
 *
 * @param now SQL of the time.
 */
export function supersedingCredential(now: string): string {
  return `(case when s.standing = 'revoked' or c.expires_at <= ${now} then ${newerCredential(now)} end)`
}
