import type { ReplyOf } from '../../contract/api-operation.ts'
import { clients } from '../../contract/directory/clients.ts'
import { html } from '../../pages/html.ts'
import { buttonLink, card, facts, message } from '../../pages/parts.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import type { Crumb } from '../frame/shell.ts'
import { type ApplicationTexts, applicationTexts } from './texts.ts'

/** An application, as the API returns it. */
export type Application = ReplyOf<typeof clients.get>
/** Where applications are listed. */
export const LIST = '/console/applications'
/** Their entry of the menu. */
export const place = 'applications'

/** Returns the address of an application, or of something to do with it. */
export function at({ clientId }: Pick<Application, 'clientId'>, verb?: string): string {
  return `${LIST}/${encodeURIComponent(clientId)}${verb === undefined ? '' : `/${verb}`}`
}

/** Reads the application of the address. */
export async function read(frame: Frame<{ readonly id: string }>): Promise<Application> {
  return (await readTagged(frame)).found
}

/** As {@link read}, with the entity tag of its state. */
export async function readTagged({ api, params }: Frame<{ readonly id: string }>) {
  const { data, etag } = await api.call(clients.get, { params: { clientId: params.id } })
  return { found: data, etag: etag ?? '' }
}

/** Returns the way to a page of an application. */
export function crumbs(found: Application, t: ApplicationTexts, last: string): readonly Crumb[] {
  return [[t.title, LIST], [found.name ?? found.clientId, at(found)], [last]]
}

/** The only page that has the secret. */
export function secretTold(frame: Frame, clientId: string, secret: string): Screen {
  const { texts, language } = frame
  const t = applicationTexts[language]
  const copied = (text: string) =>
    html`<copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret">${text}</code></copy-text>`
  return {
    title: t.secret,
    crumbs: [[t.title, LIST], [clientId, at({ clientId })], [t.secret]],
    main: html`<div class="narrow stack">${message('note', t.secretText)}${card(html`${facts([[t.id, html`<code>${clientId}</code>`]])}${copied(secret)}`)}<p>${buttonLink(frame.t.back, at({ clientId }))}</p></div>`,
    modules: ['copy-text'],
  }
}
