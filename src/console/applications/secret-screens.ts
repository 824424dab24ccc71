import { clients } from '../../contract/directory/clients.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { html } from '../../pages/html.ts'
import { onceHeader } from '../../pages/once.ts'
import { buttonLink, card, facts, message } from '../../pages/parts.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { copied } from '../frame/copied.ts'
import { overlapField, overlapIn } from '../frame/overlap.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import type { Crumb } from '../frame/shell.ts'
import {
  type Application,
  applicationName,
  applicationPath,
  applicationsPath,
  applicationsPlace,
} from './application.ts'
import { applicationTexts } from './texts.ts'

/** The only page that has the secret. */
export function secretTold(frame: Frame, clientId: string, secret: string): Screen {
  const t = applicationTexts[frame.language]
  const content = html`${facts([[t.id, html`<code>${clientId}</code>`]])}${copied(frame, secret)}`
  const back = buttonLink(frame.t.back, applicationPath({ clientId }))
  return {
    title: t.secret,
    crumbs: [[t.title, applicationsPath], [clientId, applicationPath({ clientId })], [t.secret]],
    main: html`<div class="narrow stack">${message('note', t.secretText)}${card(content)}<p>${back}</p></div>`,
    modules: ['copy-text'],
  }
}

async function read({ api, params }: Frame<{ readonly id: string }>): Promise<Application> {
  return (await api.call(clients.get, { params: { clientId: params.id } })).data
}

function crumbs(frame: Frame, found: Application, last: string): readonly Crumb[] {
  return [
    [applicationTexts[frame.language].title, applicationsPath],
    [applicationName(found), applicationPath(found)],
    [last],
  ]
}

const rotate = confirmScreen({
  place: applicationsPlace,
  path: `${applicationsPath}/{id}/secret`,
  summary: 'Makes a new secret of an application.',
  ask: async (frame) => {
    const t = applicationTexts[frame.language]
    const found = await read(frame)
    return {
      title: t.rotateTitle,
      text: t.rotateText,
      button: t.rotate,
      look: 'main',
      crumbs: crumbs(frame, found, t.rotate),
      back: applicationPath(found),
      fields: overlapField(frame),
    }
  },
  act: async (frame) => {
    const sent = { body: overlapIn(frame.fields), headers: onceHeader(frame.fields) }
    const { data } = await frame.api.call(clients.rotateSecret, { params: { clientId: frame.params.id }, ...sent })
    return secretTold(frame, data.clientId, data.clientSecret)
  },
})

const endSecret = confirmScreen({
  place: applicationsPlace,
  path: `${applicationsPath}/{id}/secrets/{secret}/end`,
  summary: 'Asks whether to end a secret at once, and does it.',
  ask: async (frame) => {
    const t = applicationTexts[frame.language]
    const found = await read(frame)
    return {
      title: t.endTitle,
      text: t.endText,
      button: t.endSecret,
      look: 'danger',
      crumbs: crumbs(frame, found, t.endSecret),
      back: applicationPath(found),
    }
  },
  act: async ({ api, params }) => {
    await api.call(clients.endSecret, { params: { clientId: params.id, id: params.secret } })
    return { to: applicationPath({ clientId: params.id }) }
  },
})

/** What is done with the secrets of an application. */
export const secretScreens: readonly Endpoint[] = [...rotate, ...endSecret]
