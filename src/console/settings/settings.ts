import type { ReplyOf } from '../../contract/api-operation.ts'
import { organisation } from '../../contract/directory/organisation.ts'
import { allLanguages, type Language, languages } from '../../contract/languages.ts'
import { type Json, memberOf, parseJson } from '../../crypto/json.ts'
import { numberFormat, timeZones } from '../../memory/formats.ts'
import { choicesIn, select } from '../../pages/controls.ts'
import { byLanguage } from '../../pages/messages/catalogue.ts'
import type { Frame } from '../frame/screen.ts'
import { area, choice, type FormField, lines, text, textIn, tick, ticks } from '../resource/fields.ts'
import { type ResourceForm, resourceForm } from '../resource/form.ts'
import { logoField } from './logo-field.ts'
import { type SettingTexts, settingTexts } from './texts.ts'

/** Name of a member of the organisation. */
export type SettingName = keyof SettingTexts['labels']
/** The organisation as the API shows it. */
export type Organisation = ReplyOf<typeof organisation.get>
/** The part of the settings that a page shows. */
export type Part = 'general' | 'policies'

type Fields = Readonly<Partial<Record<SettingName, FormField>>>
type Section = readonly [heading: keyof SettingTexts['sections'], fields: Fields]

const address = text({ type: 'url' })

/** Shown where no colour is set: the colour of the pages. */
const COLOUR = '#1f4e79'
const colour: FormField = {
  ...text(),
  draw: (frame, one, now) => text({ type: 'color' }).draw(frame, { ...one, isOptional: false }, now),
  fill: (value) => [typeof value === 'string' ? value : COLOUR],
  give: (now) => (textIn(now) === COLOUR ? null : textIn(now)),
  words: ({ language }, now) => (textIn(now) === COLOUR ? settingTexts[language].notSet : textIn(now)),
}

/** The first one is the default. */
const languageOrder: FormField = {
  ...choice(languageOrders, '', (chosen) => chosen.split(' ')),
  fill: (value) => [Array.isArray(value) ? value.join(' ') : ''],
  isOrdered: true,
}

const addresses: FormField = {
  ...lines({ rows: 3 }),
  // No address is the default, not a list without any.
  give: (now) => (textIn(now) === '' ? null : lines().give(now)),
}

const json = area({
  rows: 6,
  isCode: true,
  fill: (value) => (Array.isArray(value) && value.length === 0 ? '' : JSON.stringify(value, null, 2)),
  give: (content) => (content === '' ? null : (jsonIn(content) ?? content)),
  fault: ({ language }, now) =>
    textIn(now) === '' || jsonIn(textIn(now)) !== undefined ? null : settingTexts[language].noJson,
  place: (_, __, ___, why) => why,
})

function jsonIn(content: string): Json | undefined {
  try {
    return parseJson(content)
  } catch {
    return undefined
  }
}

const HOUR = 3600
const DAY = 86_400

/** A time in seconds: one of those that are known, or what is set. */
function time(...known: readonly number[]): FormField {
  const choices = ({ language }: Frame, now: string) => {
    const t = settingTexts[language]
    const isKnown = now === '' || known.includes(Number(now))
    const all = isKnown ? known : [...known, Number(now)].toSorted((a, b) => a - b)
    const shown = all.map((one) => ({ value: String(one), text: timeText(one, language, t) }))
    return [{ value: '', text: t.ofServer }, ...shown]
  }
  return {
    ...text(),
    draw: (frame, one, now) =>
      select(frame, { ...one, isOptional: false, value: textIn(now), choices: choices(frame, textIn(now)) }),
    give: (now) => (textIn(now) === '' ? null : Number(textIn(now))),
    words: (frame, now) => choices(frame, textIn(now)).find(({ value }) => value === textIn(now))?.text ?? '',
  }
}

/** Members whose values have words. */
function chosen(...names: readonly (SettingName & keyof SettingTexts['choices'])[]): Fields {
  return Object.fromEntries(names.map((name) => [name, choice((frame) => settingChoices(frame, name), '')]))
}

function settingChoices({ language }: Frame, name: string) {
  return choicesIn(memberOf<Readonly<Record<string, string>>>(settingTexts[language].choices, name) ?? {})
}

/** What is on which page. Every member of the organisation is on one. */
export const sectionsOf: Readonly<Record<Part, readonly Section[]>> = {
  general: [
    ['identity', { name: text(), logoUri: logoField, accentColor: colour }],
    ['people', { languages: languageOrder, timeZone: choice(zones, ''), privacyUri: address, supportAddress: text() }],
    [
      'defaults',
      {
        offerTtlSeconds: time(HOUR, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY),
        requestTtlSeconds: time(300, 600, 900, HOUR, DAY, 7 * DAY),
        resultRetentionSeconds: time(0, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY),
      },
    ],
    ['mail', { mailFromName: text(), mailReplyTo: text({ type: 'email' }) }],
  ],
  policies: [
    ['trust', chosen('issuerPolicy', 'verifierPolicy', 'typeListing')],
    [
      'wallets',
      {
        ...chosen('newWallets', 'sharingConfirmation', 'sharedLinks'),
        walletFormats: ticks((frame) => settingChoices(frame, 'walletFormats')),
      },
    ],
    [
      'issuing',
      {
        ...chosen('heldAttributes'),
        haip: tick(),
        ...chosen('issuerIdentifier', 'clientAuthentication', 'attestationChallenge', 'unregisteredWallets'),
        ...chosen('keyAttestations', 'credentialEncryption', 'pushedRequests', 'walletDpop', 'documentSignerUsages'),
      },
    ],
    ['advanced', { redirectUris: addresses, registeredVerifiers: json, transactionDataTypes: json }],
  ],
}

function zones() {
  return timeZones().map((value) => ({ value, text: value.replaceAll('_', ' ') }))
}

/** The orders of languages to choose from, the shortest first, each with the names of its languages. */
function languageOrders() {
  return ordersOf(allLanguages)
    .toSorted((one, other) => one.length - other.length)
    .map((order) => ({
      value: order.join(' '),
      text: order.map((code) => languages[code]).join(', '),
    }))
}

/** Every selection of some, in every order. */
function ordersOf(all: readonly Language[]): readonly (readonly Language[])[] {
  return all.flatMap((first) => {
    const rest = ordersOf(all.filter((one) => one !== first))
    return [[first], ...rest.map((order) => [first, ...order])]
  })
}

/** A time in words, e.g. "30 days". */
function timeText(seconds: number, language: Language, t: SettingTexts): string {
  if (seconds === 0) return t.notKept
  const units = [['day', DAY] as const, ['hour', HOUR] as const, ['minute', 60] as const, ['second', 1] as const]
  const [unit, length] = units.find(([, one]) => seconds % one === 0) ?? ['second', 1]
  return numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length)
}

/** Returns the form of some of the settings. */
export function settingForm(fields: Fields): ResourceForm {
  return resourceForm(organisation, labels, fields)
}

const labels = byLanguage((language) => labelsOf(settingTexts[language]))

function labelsOf({ labels: all, hints }: SettingTexts): SettingTexts['labels'] {
  return { ...all, ...Object.fromEntries(Object.entries(hints).map(([name, hint]) => [`${name}Hint`, hint])) }
}
