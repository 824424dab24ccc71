import { type Language, languages } from '../../contract/languages.ts'
import { parseJson } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { numberFormat } from '../../memory/formats.ts'
import { typed } from '../../pages/once.ts'
import { typedAll } from '../frame/form-values.ts'
import type { SettingTexts } from './texts.ts'

/** Name of a member of the organisation. */
type SettingName = keyof SettingTexts['labels']

/** How a setting is edited. */
type Kind =
  | 'text'
  | 'url'
  | 'email'
  | 'colour'
  | 'choice'
  | 'formats'
  | 'languages'
  | 'zone'
  | 'time'
  | 'onOff'
  | 'lines'
  | 'json'

/** A setting on a page. */
export type SettingField = { readonly name: SettingName; readonly kind: Kind; readonly lengthMax?: number }

/** The organisation as the API shows it. */
export type Organisation = Readonly<Record<SettingName, unknown>> & { readonly fixedMembers: readonly string[] }

/** The part of the settings that a page shows. */
export type Part = 'general' | 'policies'

type Section = readonly [heading: keyof SettingTexts['sections'], fields: readonly SettingField[]]

/** What is on which page. Every member of the organisation is on one. */
export const sectionsOf: Readonly<Record<Part, readonly Section[]>> = {
  general: [
    [
      'identity',
      [
        { name: 'name', kind: 'text', lengthMax: 200 },
        { name: 'logoUri', kind: 'url' },
        { name: 'accentColor', kind: 'colour' },
      ],
    ],
    [
      'people',
      [
        { name: 'languages', kind: 'languages' },
        { name: 'timeZone', kind: 'zone' },
        { name: 'privacyUri', kind: 'url' },
        { name: 'supportAddress', kind: 'text', lengthMax: 320 },
      ],
    ],
    [
      'defaults',
      [
        { name: 'offerTtlSeconds', kind: 'time' },
        { name: 'requestTtlSeconds', kind: 'time' },
        { name: 'resultRetentionSeconds', kind: 'time' },
      ],
    ],
    [
      'mail',
      [
        { name: 'mailFromName', kind: 'text', lengthMax: 100 },
        { name: 'mailReplyTo', kind: 'email', lengthMax: 320 },
      ],
    ],
  ],
  policies: [
    [
      'trust',
      [
        { name: 'issuerPolicy', kind: 'choice' },
        { name: 'verifierPolicy', kind: 'choice' },
        { name: 'typeListing', kind: 'choice' },
      ],
    ],
    [
      'wallets',
      [
        { name: 'sharingConfirmation', kind: 'choice' },
        { name: 'walletFormats', kind: 'formats' },
      ],
    ],
    [
      'issuing',
      [
        { name: 'haip', kind: 'onOff' },
        { name: 'issuerIdentifier', kind: 'choice' },
        { name: 'clientAuthentication', kind: 'choice' },
        { name: 'attestationChallenge', kind: 'choice' },
        { name: 'unregisteredWallets', kind: 'choice' },
        { name: 'keyAttestations', kind: 'choice' },
        { name: 'credentialEncryption', kind: 'choice' },
        { name: 'pushedRequests', kind: 'choice' },
        { name: 'walletDpop', kind: 'choice' },
        { name: 'documentSignerUsages', kind: 'choice' },
      ],
    ],
    [
      'advanced',
      [
        { name: 'redirectUris', kind: 'lines' },
        { name: 'registeredVerifiers', kind: 'json' },
        { name: 'transactionDataTypes', kind: 'json' },
      ],
    ],
  ],
}

/** Shown where no colour is set: the colour of the pages. */
export const COLOUR = '#1f4e79'
const HOUR = 3600
const DAY = 86_400
const times: Readonly<Record<string, readonly number[]>> = {
  offerTtlSeconds: [HOUR, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY],
  requestTtlSeconds: [300, 600, 900, HOUR, DAY, 7 * DAY],
  resultRetentionSeconds: [0, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY],
}

/** Returns the times to choose from, with the one that is set. */
export function timesOf(name: SettingName, now: string): readonly number[] {
  const known = times[name] ?? []
  return now === '' || known.includes(Number(now)) ? known : [...known, Number(now)].toSorted((a, b) => a - b)
}

/** Returns a time in words, e.g. "30 days". */
export function timeText(seconds: number, language: Language, t: SettingTexts): string {
  if (seconds === 0) return t.notKept
  const units = [['day', DAY] as const, ['hour', HOUR] as const, ['minute', 60] as const, ['second', 1] as const]
  const [unit, length] = units.find(([, one]) => seconds % one === 0) ?? ['second', 1]
  return numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length)
}

/** Returns the orders of languages to choose from, each with the names of its languages. */
export function languageOrders(): readonly (readonly [value: string, text: string])[] {
  const [one, other] = Object.entries(languages)
  if (one === undefined || other === undefined) return []
  return [[one], [other], [one, other], [other, one]].map(
    (order) => [order.map(([code]) => code).join(' '), order.map(([, name]) => name).join(', ')] as const,
  )
}

/** Returns a setting as its control has it. */
export function textOf({ kind }: SettingField, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (kind === 'json') return Array.isArray(value) && value.length === 0 ? '' : JSON.stringify(value, null, 2)
  if (Array.isArray(value)) return value.join(kind === 'lines' ? '\n' : ' ')
  return String(value)
}

/** Returns what was typed for a setting, in the form of {@link textOf}. */
export function typedText({ name, kind }: SettingField, fields: Fields): string {
  if (kind === 'formats') return typedAll(fields, name).join(' ')
  if (kind === 'onOff') return String(typed(fields, name) === '1')
  const text = typed(fields, name)
  if (kind === 'lines') return text.split(/\s+/).filter(Boolean).join('\n')
  return kind === 'json' ? text.replaceAll('\r\n', '\n') : text
}

/**
 * Returns the value for the API; null sets the default.
 *
 * @throws Fault if it should be JSON and is not
 */
export function readValue({ name, kind }: SettingField, text: string): unknown {
  if (kind === 'lines') return text === '' ? null : text.split('\n')
  if (text === '' && kind !== 'formats') return name === 'name' ? '' : null
  if (kind === 'json') return parseJson(text)
  if (kind === 'formats' || kind === 'languages') return text.split(' ').filter(Boolean)
  if (kind === 'time') return Number(text)
  return kind === 'onOff' ? text === 'true' : text
}
