import { type KeyDeviceConfig, keyDeviceMistakes, keyDeviceOf } from './config/key-device.ts'
import { archiveMistakes, productionMistakes } from './config/mistakes.ts'
import { type ObjectStoreConfig, objectStoreMistakes, objectStoreOf } from './config/s3-account.ts'
import {
  bytes,
  contactUri,
  databaseUrl,
  flag,
  httpUrl,
  integer,
  mailAddress,
  oneOf,
  origin,
  type Read,
  secret,
  smtpUrl,
  text,
  vapidKey,
} from './config/setting-types.ts'

type Setting<T, D extends T | null> = {
  readonly name: string
  readonly read: Read<T>
  /** Value of a variable that is not set. null: see the description. */
  readonly default: D
  readonly description: string
  readonly type: string
}

function setting<T, D extends T | null>(
  name: string,
  [type, read]: readonly [string, Read<T>],
  preset: D,
  description: string,
): Setting<T, D> {
  return { name, type, read, default: preset, description }
}

/** All settings of the environment. `docs/configuration.md` is printed from this table. */
export const settings = {
  nodeEnv: setting(
    'NODE_ENV',
    oneOf('development', 'production'),
    'development',
    'In production the server refuses to start without MASTER_KEY, DATABASE_URL and an https PUBLIC_URL, and calls https addresses only.',
  ),
  port: setting('PORT', integer(1, 65_535), 8080, 'Port to listen on.'),
  host: setting('HOST', text(), '127.0.0.1', 'Address to listen on. 0.0.0.0 or :: behind a proxy on another host.'),
  publicUrl: setting(
    'PUBLIC_URL',
    origin(),
    null,
    'Origin under which wallets and verifiers reach this server, without a path. Default: http://localhost:PORT.',
  ),
  walletBaseUrl: setting(
    'WALLET_BASE_URL',
    httpUrl(),
    null,
    'Public address of the wallet group. Default: PUBLIC_URL/wallet.',
  ),
  credsBaseUrl: setting(
    'CREDS_BASE_URL',
    httpUrl(),
    null,
    'Public address of the issuance and trust group. Default: PUBLIC_URL/creds.',
  ),
  onboardingBaseUrl: setting(
    'ONBOARDING_BASE_URL',
    httpUrl(),
    null,
    'Public address of the user lookup group. Default: PUBLIC_URL/onboarding.',
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    databaseUrl(),
    null,
    'PostgreSQL 15 or newer. Several hosts (`postgresql://user@host1:port,host2:port/database`) are tried in order at each new connection, and the one that accepts writes is used; with one host `?target_session_attrs=read-write` asks for the same. Without it the embedded database under DATA_DIR is used (development only). `?sslmode=verify-full` encrypts the connection and verifies the server, with `&sslrootcert=` and the path of a PEM file for a private certificate authority.',
  ),
  databasePoolMax: setting(
    'DATABASE_POOL_MAX',
    integer(1, 500),
    10,
    'Maximum number of connections to PostgreSQL per process.',
  ),
  databaseTimeoutSeconds: setting(
    'DATABASE_TIMEOUT_SECONDS',
    integer(2, 300),
    10,
    'Time limit of one round trip to PostgreSQL, and of waiting for a connection. After it the connection is closed and the caller is answered 503. Migrations have none.',
  ),
  databasePrepared: setting(
    'DATABASE_PREPARED',
    flag(),
    true,
    'Whether statements are prepared once for each connection. false for a proxy that pools transactions and keeps no prepared statements (PgBouncer before 1.21, or with max_prepared_statements=0); each statement is then parsed at each use.',
  ),
  dataDir: setting(
    'DATA_DIR',
    text(),
    './data',
    'Folder of the embedded database and of the development master key. One process at a time.',
  ),
  masterKey: setting(
    'MASTER_KEY',
    bytes(32),
    null,
    '32 bytes in base64: seals personal data and private keys at rest. Losing it loses them. In development one is generated under DATA_DIR.',
  ),
  masterKeyPrevious: setting(
    'MASTER_KEY_PREVIOUS',
    bytes(32),
    null,
    'The master key before MASTER_KEY. It still opens the data keys of tenants; each is sealed under MASTER_KEY as soon as a server opens it. Keep it until every tenant was used.',
  ),
  keyProvider: setting(
    'KEY_PROVIDER',
    oneOf('software', 'pkcs11'),
    'software',
    'Where new private keys are generated: in memory and sealed in the database, or in a PKCS #11 token that they never leave. Existing keys stay where they are (docs/keys.md).',
  ),
  pkcs11Module: setting(
    'PKCS11_MODULE',
    text(),
    null,
    'Path of the PKCS #11 module of the token. Required as long as the token holds a key, for every KEY_PROVIDER.',
  ),
  pkcs11Token: setting('PKCS11_TOKEN', text(), null, 'Label of the token. Stable when slot numbers change.'),
  pkcs11Slot: setting(
    'PKCS11_SLOT',
    integer(0, Number.MAX_SAFE_INTEGER),
    null,
    'Number of the slot of the token, instead of PKCS11_TOKEN.',
  ),
  pkcs11PinFile: setting(
    'PKCS11_PIN_FILE',
    text(),
    null,
    "Path of a file with the PIN of the token's user; trailing line breaks are ignored. Read at every login.",
  ),
  bootstrapFile: setting(
    'BOOTSTRAP_FILE',
    text(),
    null,
    'JSON file of tenants, clients and users, applied at every start.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Minimum level of log lines.',
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    secret(),
    null,
    'Token that GET /metrics requires as `Authorization: Bearer …`. Without it /metrics is refused in production, and public in development.',
  ),
  offerTtlSeconds: setting(
    'OFFER_TTL_SECONDS',
    integer(60, 2_592_000),
    600,
    'Default lifetime of an offer. Anyone who has an offer without a transaction code can redeem it.',
  ),
  nonceTtlSeconds: setting(
    'NONCE_TTL_SECONDS',
    integer(10, 600),
    300,
    'Lifetime of a c_nonce. Below 10 s phones on slow networks fail; above 600 s a stolen proof is valid too long.',
  ),
  presentationTtlSeconds: setting(
    'PRESENTATION_TTL_SECONDS',
    integer(30, 86_400),
    600,
    'Default lifetime of a presentation request.',
  ),
  statusListTtlSeconds: setting(
    'STATUS_LIST_TTL_SECONDS',
    integer(60, 86_400),
    300,
    'How long others may cache a status list, and so how late they may see a revocation. Verifiers of this server see it at once.',
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    integer(0, 120),
    5,
    'How long a stopping server still accepts requests, while /readyz responds 503 and each response closes its connection. Longer than a load balancer needs to detect it.',
  ),
  stopTimeoutSeconds: setting(
    'STOP_TIMEOUT_SECONDS',
    integer(1, 300),
    25,
    'How long a stopping server waits for accepted requests before it closes their connections.',
  ),
  smtpUrl: setting(
    'SMTP_URL',
    smtpUrl(),
    null,
    'Mail server that one-time links and offers are sent through: smtps://user:password@host:465, or smtp://host:587, which must offer STARTTLS in production. Without it a link is shown once to the person who created it.',
  ),
  smtpFrom: setting(
    'SMTP_FROM',
    mailAddress(),
    null,
    'Sender of mails. Default: no-reply@ and the host of PUBLIC_URL.',
  ),
  vapidPrivateKey: setting(
    'VAPID_PRIVATE_KEY',
    vapidKey(),
    null,
    'Key by which push services know this deployment, from `chirograph push-key`. With it a person may ask for messages of the wallet in a browser. Another key ends all of them. Without it there are none.',
  ),
  vapidSubject: setting(
    'VAPID_SUBJECT',
    contactUri(),
    null,
    'Where push services reach the operator: mailto:admin@example.org, or an https address. Default: PUBLIC_URL.',
  ),
  otelEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    httpUrl(),
    null,
    'Address of an OpenTelemetry collector. Traces and metrics are sent to it by OTLP/HTTP in JSON; without it there are none but those of /metrics.',
  ),
  recoveryMark: setting(
    'RECOVERY_MARK',
    text(),
    null,
    'Path of a file outside the database, or s3://bucket/key, that tells whether a database is an older state than the one that was served last. With it a restored backup is refused until `chirograph recover` has run (docs/recovery.md).',
  ),
  revocationJournal: setting(
    'REVOCATION_JOURNAL',
    text(),
    null,
    'Folder outside the database, or s3://bucket/prefix, to which every revocation, suspension and reinstatement is written before it is answered. `chirograph recover` reads it back.',
  ),
  awsEndpointUrlS3: setting(
    'AWS_ENDPOINT_URL_S3',
    httpUrl(),
    null,
    'Address of the S3-compatible store of RECOVERY_MARK and REVOCATION_JOURNAL. Default: that of Amazon in AWS_REGION.',
  ),
  awsRegion: setting(
    'AWS_REGION',
    text(),
    'us-east-1',
    'Region of the S3-compatible store; most others than Amazon take any.',
  ),
  awsAccessKeyId: setting(
    'AWS_ACCESS_KEY_ID',
    text(),
    null,
    'Account of the S3-compatible store. It needs to get, put and list objects, and not to delete any.',
  ),
  awsSecretAccessKey: setting('AWS_SECRET_ACCESS_KEY', text(), null, 'Secret of AWS_ACCESS_KEY_ID.'),
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
    'Days after the end of a credential (validUntil of its template) after which its issuance is deleted, and its status list once all credentials in it were. Credentials without an end are kept. Their audit entries stay.',
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
  trustProxy: setting(
    'TRUST_PROXY',
    flag(),
    false,
    'Whether the caller address is the last one in X-Forwarded-For. Only behind a proxy that adds it.',
  ),
} as const

type Settings = typeof settings
/** The values of the settings; null only where that is the default, or where a mistake is reported. */
type Values = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T, infer D> ? T | Extract<D, null> : never
}

/** The settings of a server with all defaults. Read once, in `main.ts`. `masterKey`: null only in development: generated under `dataDir`. */
export type Config = Omit<Values, 'nodeEnv' | `pkcs11${string}` | `aws${string}`> & {
  readonly isDevelopment: boolean
  /** No trailing slash, no path. */
  readonly publicUrl: string
  readonly walletBaseUrl: string
  readonly credsBaseUrl: string
  readonly onboardingBaseUrl: string
  /** null: no token is configured. */
  readonly keyDevice: KeyDeviceConfig | null
  /** null: no account of an object store is configured. */
  readonly objectStore: ObjectStoreConfig | null
  readonly smtpFrom: string
}

/** All mistakes of a configuration: names and rules, never values. */
export class ConfigMistakes extends Error {
  override readonly name = 'ConfigMistakes'
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`the configuration cannot be used:\n${mistakes.map((one) => `  - ${one}`).join('\n')}`)
    this.mistakes = mistakes
  }
}

/**
 * Reads the settings.
 *
 * @param env The environment; empty strings count as not set.
 * @throws ConfigMistakes with every mistake at once.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const mistakes: string[] = []
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, one]) => [name, readOne(one as Setting<unknown, unknown>, env, mistakes)]),
  ) as Values
  const further = [
    ...productionMistakes(values),
    ...keyDeviceMistakes(values),
    ...archiveMistakes(values),
    ...objectStoreMistakes(values),
  ]
  mistakes.push(...further.filter((one) => !isNamedIn(mistakes, one)))
  if (mistakes.length > 0) throw new ConfigMistakes(mistakes)
  return complete(values)
}

function readOne(
  one: Setting<unknown, unknown>,
  env: Readonly<Record<string, string | undefined>>,
  mistakes: string[],
): unknown {
  const text = env[one.name]
  if (text === undefined || text === '') return one.default
  try {
    return one.read(text)
  } catch {
    mistakes.push(`${one.name} must be ${one.type}`)
    return null
  }
}

/** Whether another mistake names the same setting: an unusable value is not also missing. */
function isNamedIn(mistakes: readonly string[], one: string): boolean {
  const [name = ''] = one.split(' ', 1)
  return mistakes.some((other) => other.startsWith(`${name} `))
}

function complete(values: Values): Config {
  const publicUrl = values.publicUrl ?? `http://localhost:${values.port}`
  return {
    ...values,
    isDevelopment: values.nodeEnv !== 'production',
    publicUrl,
    walletBaseUrl: values.walletBaseUrl ?? `${publicUrl}/wallet`,
    credsBaseUrl: values.credsBaseUrl ?? `${publicUrl}/creds`,
    onboardingBaseUrl: values.onboardingBaseUrl ?? `${publicUrl}/onboarding`,
    keyDevice: keyDeviceOf(values),
    objectStore: objectStoreOf(values),
    smtpFrom: values.smtpFrom ?? `no-reply@${new URL(publicUrl).hostname}`,
  }
}
