import { databaseSettings } from './config/database-settings.ts'
import { type KeyDeviceConfig, keyDeviceMistakes, keyDeviceOf } from './config/key-device.ts'
import { keysSettings } from './config/keys-settings.ts'
import { lifetimeSettings } from './config/lifetime-settings.ts'
import { messageSettings } from './config/message-settings.ts'
import { archiveMistakes, productionMistakes } from './config/mistakes.ts'
import { observationSettings } from './config/observation-settings.ts'
import { outboundSettings } from './config/outbound-settings.ts'
import { recoverySettings } from './config/recovery-settings.ts'
import { retentionSettings } from './config/retention-settings.ts'
import { type ObjectStoreConfig, objectStoreMistakes, objectStoreOf } from './config/s3-account.ts'
import { servingSettings } from './config/serving-settings.ts'
import type { Setting } from './config/setting.ts'

/** All settings of the environment, by subject. `docs/configuration.md` is printed from these tables. */
export const settingGroups = {
  'The server': servingSettings,
  Database: databaseSettings,
  'Calls to other hosts': outboundSettings,
  Keys: keysSettings,
  Lifetimes: lifetimeSettings,
  'Mails and messages': messageSettings,
  'Logs, metrics, traces': observationSettings,
  Recovery: recoverySettings,
  Retention: retentionSettings,
} as const

/** All settings, by their names in the code. */
export const settings = {
  ...servingSettings,
  ...databaseSettings,
  ...outboundSettings,
  ...keysSettings,
  ...lifetimeSettings,
  ...messageSettings,
  ...observationSettings,
  ...recoverySettings,
  ...retentionSettings,
}

type Settings = typeof settings
/** The values of the settings; null only where that is the default, or where a mistake is reported. */
type Values = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T, infer D> ? T | Extract<D, null> : never
}

/**
 * The settings of a server with all defaults. Read once, in `main.ts`. `masterKey`: null only in development: generated
 * under `dataDir`.
 */
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
