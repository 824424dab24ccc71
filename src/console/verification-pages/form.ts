import type { ReplyOf } from '../../contract/api-operation.ts'
import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import { verificationPages } from '../../contract/verification/verification-pages.ts'
import { choicesIn } from '../../pages/controls.ts'
import { html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { buttonLink } from '../../pages/parts.ts'
import { type Choices, readChoices, searchIn } from '../frame/chooser.ts'
import type { Frame } from '../frame/screen.ts'
import { area, choice, chosen, lines, number, seldom, text } from '../resource/fields.ts'
import { type ResourceForm, resourceForm } from '../resource/form.ts'
import { verificationPageTexts } from './texts.ts'

/** A verification page as the API shows it. */
export type ShownVerificationPage = ReplyOf<typeof verificationPages.get>

/** Returns the form of a page. @param requests What it can ask for. */
export function formWith(requests: Choices): ResourceForm {
  return resourceForm(verificationPages, verificationPageTexts, {
    name: text(),
    presentationTemplateId: chosen(requests),
    heading: text(),
    explanation: area({ rows: 3, fill: String, give: (content) => content || null }),
    visitorSees: choice(pageChoices('sees'), 'verdict'),
    anotherDevice: choice(pageChoices('devices'), '', (one) => (one === '' ? null : one === 'true')),
    isOpen: choice(pageChoices('states'), 'true', (one) => one === 'true'),
    origins: lines(),
    redirectUri: text({ isName: true }),
    requestsPerMinute: seldom(number({ blank: '60' })),
    requestsPerAddress: seldom(number({ blank: '10' })),
    expiresInSeconds: seldom(number({ blank: '10', unit: 60 })),
  })
}

/** Reads what a page can ask for. What it asks for already stays chosen, also when that is archived. */
export async function pageForm(frame: Frame, page: ShownVerificationPage | null): Promise<ResourceForm> {
  const name = 'presentationTemplateId'
  const already = typed(frame.fields, name)
  const found = await readChoices(frame, presentationTemplates, searchIn(frame, name), { chosen: already })
  const isListed = page === null || found.rows.some(({ id }) => id === page.presentationTemplateId)
  const own = isListed ? [] : [{ id: page.presentationTemplateId, name: page.templateName }]
  const hasNone = found.rows.length === 0 && found.search === ''
  return {
    ...formWith({ ...found, rows: [...own, ...found.rows] }),
    instead: (shown) => (hasNone ? noRequests(shown) : null),
  }
}

function noRequests({ language }: Frame) {
  const t = verificationPageTexts[language]
  const way = buttonLink(t.makeRequest, '/console/requests')
  return html`<div class="empty"><p>${t.noRequests}</p><div class="buttons">${way}</div></div>`
}

function pageChoices(key: 'sees' | 'devices' | 'states') {
  return ({ language }: Frame) => choicesIn(verificationPageTexts[language][key])
}
