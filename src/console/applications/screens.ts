import { clients } from '../../contract/directory/clients.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink, rows } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { resource } from '../resource/resource.ts'
import {
  type Application,
  applicationName,
  applicationPath,
  applicationsPath,
  applicationsPlace,
} from './application.ts'
import { applicationForm } from './form.ts'
import { secretScreens, secretTold } from './secret-screens.ts'
import { applicationTexts } from './texts.ts'

/** Applications of the organisation. */
export const applicationScreens: readonly Endpoint[] = [
  ...resource({
    noun: clients,
    place: applicationsPlace,
    path: applicationsPath,
    texts: applicationTexts,
    called: { one: 'an application', many: 'the applications of the organisation' },
    idOf: ({ clientId }) => clientId,
    name: {
      label: 'name',
      of: applicationName,
      below: ({ name, clientId }) => (name === null ? null : html`<br><code>${clientId}</code>`),
    },
    columns: { roles: rightsOf, state: stateOf, used: usedOf },
    facts: {
      id: ({ clientId }) => html`<code>${clientId}</code>`,
      isPublic: ({ isPublic }, { language }) => applicationTexts[language].kinds[isPublic ? 'app' : 'service'],
      roles: rightsOf,
      redirectUris: ({ redirectUris }, { t }) => redirectUris.join(' ') || t.none,
      state: stateOf,
      used: usedOf,
      created: ({ createdAt }, frame) => when(frame, createdAt),
    },
    panels: [secretsPanel, keysPanel],
    form: applicationForm,
    isFormApart: true,
    actions: (one, { language }) =>
      one.isPublic ? null : buttonLink(applicationTexts[language].rotate, applicationPath(one, 'secret')),
    told: (frame, { clientId, clientSecret }) =>
      clientSecret === undefined ? null : secretTold(frame, clientId, clientSecret),
  }),
  ...secretScreens,
]

function rightsOf({ roles: names, scopes }: Application, { texts, t }: Frame): string {
  return [...names.map((one) => texts.roles[one]), ...scopes].join(', ') || t.none
}

function stateOf({ disabled }: Application, { language }: Frame): Html {
  const t = applicationTexts[language]
  return disabled ? badge(t.disabled, 'warn') : badge(t.enabled, 'ok')
}

function usedOf({ lastUsedAt }: Application, frame: Frame): Html | string {
  return lastUsedAt === null ? applicationTexts[frame.language].never : when(frame, lastUsedAt)
}

/** The secrets that are valid, each with what ends it at once. */
function secretsPanel(found: Application, frame: Frame): Html | null {
  const t = applicationTexts[frame.language]
  if (found.secrets.length === 0) return null
  const items = found.secrets.map(({ id, origin, createdAt, endsAt }) => ({
    title: html`${origin === 'file' ? t.file : t.made}${frame.t.colon}${when(frame, createdAt)}`,
    about: endsAt === null ? t.noEnd : html`${t.ends} ${when(frame, endsAt)}`,
    action: buttonLink(t.endSecret, applicationPath(found, `secrets/${id}/end`)),
  }))
  return html`<section class="panel"><header><h2>${t.secrets}</h2></header>${rows(t.secrets, items)}</section>`
}

/** Keys in place of secrets: those that were registered, or where the application publishes them. */
function keysPanel({ jwks, jwksUri }: Application, { language }: Frame): Html | null {
  const t = applicationTexts[language]
  const keys = (jwks?.keys ?? []).map(
    ({ kid, kty = '', crv, alg }) =>
      [typeof kid === 'string' ? foreign(kid) : t.noKid, [crv ?? kty, alg].filter(Boolean).join(', ')] as const,
  )
  const address = jwksUri === null ? [] : [[t.jwksUri, foreign(jwksUri, 500)] as const]
  if (keys.length + address.length === 0) return null
  const list = [...keys, ...address].map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return html`<section class="panel"><header><h2>${t.keys}</h2></header><dl class="facts">${list}</dl></section>`
}
