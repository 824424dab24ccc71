import { timeZones } from '../../memory/formats.ts'
import { checkbox, checkboxes, select, textArea } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Frame } from '../frame/screen.ts'
import { COLOUR, languageOrders, type SettingField, timesOf, timeText } from './settings.ts'
import { settingTexts } from './texts.ts'

/** Long enough for the longest list that the API takes in practice. */
const JSON_CHARS_MAX = 100_000

/** Returns the control of a setting. @param text As `textOf` returns it. */
export function control(frame: Frame, one: SettingField, text: string, error: string | undefined): Html {
  const { name, kind } = one
  const t = settingTexts[frame.language]
  const hint = t.hints[name]
  const shared = { name, label: t.labels[name], error, ...(hint !== undefined && { hint }) }
  switch (kind) {
    case 'colour':
      return field(frame, { ...shared, type: 'color', value: text || COLOUR })
    case 'onOff':
      return checkbox({ name, label: t.haipOn, isOn: text === 'true', ...(hint !== undefined && { hint }) })
    case 'formats':
      return html`${error !== undefined && html`<p class="error">${error}</p>`}${checkboxes(name, t.labels[name], choicesOf(frame, one, text), text.split(' '))}`
    case 'lines':
      return textArea(frame, { ...shared, value: text, isOptional: true, lengthMax: JSON_CHARS_MAX })
    case 'json':
      return textArea(frame, {
        ...shared,
        value: text,
        rows: 6,
        isCode: true,
        isOptional: true,
        lengthMax: JSON_CHARS_MAX,
      })
    case 'choice':
    case 'languages':
    case 'zone':
    case 'time':
      return select(frame, { ...shared, value: text, choices: choicesOf(frame, one, text) })
    default:
      return field(frame, textField(one, shared, text))
  }
}

function textField(
  { name, kind, lengthMax = 2000 }: SettingField,
  shared: { readonly name: string; readonly label: string; readonly error: string | undefined },
  value: string,
) {
  const type = kind === 'url' ? 'url' : kind === 'email' ? 'email' : 'text'
  return { ...shared, type, value, lengthMax, isOptional: name !== 'name' } as const
}

function choicesOf({ language }: Pick<Frame, 'language'>, { name, kind }: SettingField, now: string) {
  const t = settingTexts[language]
  if (kind === 'languages') return languageOrders().map(([value, text]) => ({ value, text }))
  if (kind === 'zone') {
    const zones = new Set([...timeZones(), ...(now === '' ? [] : [now])])
    return [...zones].map((value) => ({ value, text: value.replaceAll('_', ' ') }))
  }
  if (kind === 'time') {
    const known = timesOf(name, now).map((one) => ({ value: String(one), text: timeText(one, language, t) }))
    return [{ value: '', text: t.ofServer }, ...known]
  }
  return Object.entries(t.choices[name] ?? {}).map(([value, text]) => ({ value, text }))
}

/** Returns a setting in words. @param text As `textOf` returns it. */
export function shownValue(frame: Pick<Frame, 'language'>, one: SettingField, text: string): string {
  const t = settingTexts[frame.language]
  if (one.kind === 'formats') {
    const choices = choicesOf(frame, one, text)
    return text
      .split(' ')
      .map((value) => choices.find((choice) => choice.value === value)?.text ?? value)
      .join(', ')
  }
  const isChosen = ['choice', 'languages', 'time', 'onOff'].includes(one.kind)
  const found = isChosen ? choicesOf(frame, one, text).find(({ value }) => value === text)?.text : undefined
  return found ?? (text || t.notSet)
}
