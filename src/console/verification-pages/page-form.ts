import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import { hidden, select, textArea } from '../../pages/controls.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, typed } from '../../pages/once.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { type Choices, chooser, readChoices, searchIn } from '../frame/chooser.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { type Draft, LIST } from './page.ts'
import { pageTexts } from './texts.ts'

/** Returns what can be asked for, with what is chosen in the form. */
export function requestsOf(frame: Frame): Promise<Choices> {
  const chosen = typed(frame.fields, 'template')
  return readChoices(frame, presentationTemplates, searchIn(frame, 'template'), { chosen })
}

/** Returns the form of a page. @param action The address that it posts to. */
export function pageForm(frame: Frame, action: string, draft: Draft, { fields }: Problems, requests: Choices): Html {
  const t = pageTexts[frame.language]
  const shared = (name: keyof Draft) => ({ name, value: draft[name], error: fields[name] })
  const sees = Object.entries(t.sees).map(([value, text]) => ({ value, text }))
  const devices = Object.entries(t.devices).map(([value, text]) => ({ value, text }))
  const states = (['open', 'closed'] as const).map((value) => ({ value, text: t[value] }))
  const count = (name: 'requestsPerMinute' | 'requestsPerAddress' | 'minutes') =>
    field(frame, { ...shared(name), label: t[name], type: 'number' })
  const about = html`${field(frame, { ...shared('name'), label: t.name, hint: t.nameHint, lengthMax: 200 })}${chooser(frame, { ...shared('template'), label: t.asksFor }, requests)}${field(frame, { ...shared('heading'), label: t.heading, hint: t.headingHint, lengthMax: 200, isOptional: true })}${textArea(frame, { ...shared('explanation'), label: t.explanation, hint: t.explanationHint, lengthMax: 1000, isOptional: true })}${select(frame, { ...shared('visitorSees'), label: t.visitorSees, choices: sees })}${select(frame, { ...shared('anotherDevice'), label: t.anotherDevice, hint: t.anotherDeviceHint, choices: devices })}${select(frame, { ...shared('state'), label: t.state, hint: t.closeText, choices: states })}`
  const where = html`${textArea(frame, { ...shared('origins'), label: t.origins, hint: t.originsHint, lengthMax: 8000, isOptional: true })}${field(frame, { ...shared('redirectUri'), label: t.redirectUri, hint: t.redirectHint, lengthMax: 2000, isOptional: true })}`
  const limits = html`${count('requestsPerMinute')}${count('requestsPerAddress')}${count('minutes')}`
  // The first button is that of the Enter key.
  const content = html`<button type="submit" name="do" value="save" hidden>${frame.t.save}</button>${hidden('etag', draft.etag)}${onceField(frame.fields)}${card(about)}${card(where, t.websites)}${card(limits, t.limits)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return form(frame, action, content)
}
