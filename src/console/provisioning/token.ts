import { clients } from '../../contract/directory/clients.ts'
import { scimTokens } from '../../contract/directory/scim-tokens.ts'
import { shownText } from '../../pages/foreign-text.ts'
import { html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import type { Application } from '../applications/application.ts'
import type { Frame } from '../frame/screen.ts'
import { choice, number, text } from '../resource/fields.ts'
import { type ResourceForm, resourceForm } from '../resource/form.ts'
import { provisioningTexts } from './texts.ts'

/** What is known of the applications of the organisation. `hasMore`: there are others than these. */
type Applications = {
  readonly all: readonly Pick<Application, 'clientId' | 'name' | 'disabled'>[]
  readonly hasMore: boolean
}

/** Reads the applications, as many as fit into a list to choose from. */
export async function readApplications({ api }: Pick<Frame, 'api'>): Promise<Applications> {
  const { data, links } = await api.call(clients.list, { query: { 'page[size]': '100' } })
  return { all: data, hasMore: links.next !== undefined }
}

/** Returns what an application is called. */
export function tokenName({ clientId, name }: Applications['all'][number]): string {
  return shownText(name ?? clientId, 80)
}

/** Returns the form of a token, which belongs to one of these applications. */
export function tokenForm({ all, hasMore }: Applications): ResourceForm {
  const inUse = all.filter(({ disabled }) => !disabled)
  const choices = inUse.map((one) => ({ value: one.clientId, text: tokenName(one) }))
  const hintOf = ({ language, texts }: Frame) => provisioningTexts[language].clientIdHint(texts.roles['user-admin'])
  const form = resourceForm(scimTokens, provisioningTexts, {
    name: text(),
    // A list of all of them would be too long.
    clientId: hasMore
      ? { ...text({ isName: true }), hint: (frame) => `${provisioningTexts[frame.language].byId} ${hintOf(frame)}` }
      : { ...choice(() => choices, ''), hint: hintOf },
    expiresInDays: number(),
  })
  return { ...form, instead: (frame) => (inUse.length > 0 || hasMore ? null : applicationFirst(frame)) }
}

function applicationFirst({ language, texts }: Frame) {
  const t = provisioningTexts[language]
  const add = buttonLink(t.addApplication, '/console/applications/new')
  return html`<div class="empty">
    <p>${t.noApplication(texts.roles['user-admin'])}</p>
    <div class="buttons">${add}</div>
  </div>`
}
