type ForProduction = {
  readonly nodeEnv: string
  readonly masterKey: Buffer | null
  readonly databaseUrl: string | null
  readonly publicUrl: string | null
}
type ForArchive = {
  readonly auditRetentionDays: number | null
  readonly auditArchive: string | null
  readonly deliveryRetentionDays: number
}

/** Returns what production lacks: names and rules, never values. */
export function productionMistakes({ nodeEnv, masterKey, databaseUrl, publicUrl }: ForProduction): string[] {
  if (nodeEnv !== 'production') return []
  const mistakes: string[] = []
  if (masterKey === null)
    mistakes.push('MASTER_KEY is required in production: 32 random bytes in base64 (openssl rand -base64 32)')
  if (databaseUrl === null) mistakes.push('DATABASE_URL is required in production: postgresql://user@host/database')
  if (publicUrl === null) mistakes.push('PUBLIC_URL is required in production: the https origin of this server')
  else if (!publicUrl.startsWith('https:')) mistakes.push('PUBLIC_URL must be https in production')
  return mistakes
}

/** Returns what the archive of the audit trail lacks. */
export function archiveMistakes({ auditRetentionDays, auditArchive, deliveryRetentionDays }: ForArchive): string[] {
  if (auditRetentionDays === null) return []
  const mistakes: string[] = []
  if (auditArchive === null) mistakes.push('AUDIT_ARCHIVE is required with AUDIT_RETENTION_DAYS: a folder')
  if (auditRetentionDays <= deliveryRetentionDays)
    mistakes.push(
      'AUDIT_RETENTION_DAYS must be larger than DELIVERY_RETENTION_DAYS: a delivery has the event from the audit trail',
    )
  return mistakes
}
