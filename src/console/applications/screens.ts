import { type Role, roles } from '../../caller.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { checkboxes, select, textArea } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card, facts, message } from '../../pages/parts.ts'
import { badge, pageOf, pager, table } from '../../pages/table.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf, typedAll } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { type ApplicationTexts, applicationTexts } from './texts.ts'

type Secret = {
  readonly id: string
  readonly origin: 'server' | 'file'
  readonly createdAt: string
  readonly endsAt: string | null
}
type Application = {
  readonly clientId: string
  readonly name: string | null
  readonly roles: readonly Role[]
  readonly scopes: readonly string[]
  readonly redirectUris: readonly string[]
  readonly isPublic: boolean
  readonly disabled: boolean
  readonly secrets: readonly Secret[]
  readonly clientSecret?: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly jwks?: { readonly keys: readonly Key[] } | null
  readonly jwksUri?: string | null
}
/** A public key by which the application authenticates. */
type Key = { readonly kid?: string; readonly kty?: string; readonly crv?: string; readonly alg?: string }

const LIST = '/console/applications'
const API = '/onboarding/clients'
const place = 'applications'
// Object.keys loses the type of the keys.
const roleNames = Object.keys(roles) as Role[]

const list = screen({
  ...{ place, path: LIST, summary: 'Lists the applications of the organisation.' },
  download: () => ({ path: API }),
  show: async (frame) => {
    const { api, query, language, texts, t: common } = frame
    const t = applicationTexts[language]
    const { data, links } = await api.get<readonly Application[]>(API, pageOf(query))
    const columns = [
      {
        heading: t.name,
        cell: (one: Application) =>
          html`<a href="${at(one)}">${one.name ?? one.clientId}</a>${one.name !== null && html`<br><code>${one.clientId}</code>`}`,
      },
      { heading: t.roles, cell: (one: Application) => rightsOf(one, frame) || common.none },
      { heading: t.state, cell: (one: Application) => stateOf(one, t) },
      {
        heading: t.used,
        cell: (one: Application) => (one.lastUsedAt === null ? t.never : when(frame, one.lastUsedAt)),
      },
    ]
    const shown = data.length === 0 ? html`<div class="empty"><p>${t.empty}</p></div>` : table(t.title, columns, data)
    const actions = html`<div class="buttons"><a class="button main" href="${LIST}/new">${t.new}</a></div>`
    return {
      title: t.title,
      main: html`${shown}${pager(texts, links, frame.here)}`,
      actions,
      isEmpty: data.length === 0,
    }
  },
})

function at({ clientId }: Pick<Application, 'clientId'>, verb?: string): string {
  return `${LIST}/${encodeURIComponent(clientId)}${verb === undefined ? '' : `/${verb}`}`
}

function rightsOf({ roles: names, scopes }: Application, { t }: Frame): string {
  return [...names.map((one) => t.roles[one]), ...scopes].join(', ')
}

function stateOf({ disabled }: Application, t: ApplicationTexts): Html {
  return disabled ? badge(t.disabled, 'warn') : badge(t.enabled, 'ok')
}

const create = formScreen({
  ...{ place, path: `${LIST}/new`, summary: 'Adds an application.' },
  show: (frame) => applicationForm(frame, noProblems),
  send: async (frame) => {
    const t = applicationTexts[frame.language]
    if (typed(frame.fields, 'name') === '')
      return applicationForm(frame, { fields: { name: frame.t.required(t.name) } })
    try {
      const { data } = await frame.api.send<Application>('POST', API, {
        body: bodyOf(frame),
        headers: onceHeader(frame.fields),
      })
      return data.clientSecret === undefined ? { to: at(data) } : secretTold(frame, data)
    } catch (error) {
      return applicationForm(
        frame,
        problemsOf(
          error,
          (pointer) => ({ '/name': 'name' })[pointer] ?? (pointer.startsWith('/redirectUris') ? 'redirects' : null),
        ),
      )
    }
  },
})

function bodyOf({ fields }: Frame): object {
  const redirectUris = typed(fields, 'redirects')
    .split(/\s+/)
    .filter((one) => one !== '')
  const isPublic = typed(fields, 'kind') === 'app'
  const grants =
    isPublic || redirectUris.length === 0
      ? {}
      : { grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'] }
  return { name: typed(fields, 'name'), roles: typedAll(fields, 'roles'), isPublic, redirectUris, ...grants }
}

function applicationForm(frame: Frame, problems: Problems): Screen {
  const t = applicationTexts[frame.language]
  const given = (name: string) => typed(frame.fields, name)
  const kinds = Object.entries(t.kinds).map(([value, text]) => ({ value, text }))
  const choices = roleNames.filter((one) => one !== 'holder').map((value) => ({ value, text: frame.t.roles[value] }))
  const fields = html`${field(frame, { name: 'name', label: t.name, value: given('name'), lengthMax: 200, error: problems.fields.name })}${select(frame, { name: 'kind', label: t.kind, value: given('kind'), choices: kinds })}${checkboxes('roles', t.roles, choices, typedAll(frame.fields, 'roles'))}${textArea(frame, { name: 'redirects', label: t.redirects, hint: t.redirectsHint, value: given('redirects'), isOptional: true, error: problems.fields.redirects })}`
  const content = html`${onceField(frame.fields)}${card(fields)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.new,
    crumbs: [[t.title, LIST], [t.new]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

/** The only page that has the secret. */
function secretTold(frame: Frame, { clientId, clientSecret = '' }: Application): Screen {
  const { texts, language } = frame
  const t = applicationTexts[language]
  const copied = (text: string) =>
    html`<copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret">${text}</code></copy-text>`
  return {
    title: t.secret,
    crumbs: [[t.title, LIST], [clientId, at({ clientId })], [t.secret]],
    main: html`<div class="narrow stack">${message('note', t.secretText)}${card(html`${facts([[t.id, html`<code>${clientId}</code>`]])}${copied(clientSecret)}`)}<p>${buttonLink(frame.t.back, at({ clientId }))}</p></div>`,
    modules: ['copy-text'],
  }
}

async function read({ api, params }: Frame<{ readonly id: string }>): Promise<Application> {
  return (await api.get<Application>(`${API}/${encodeURIComponent(params.id)}`)).data
}

const one = screen({
  ...{ place, path: `${LIST}/{id}`, summary: 'Shows an application.' },
  show: async (frame) => {
    const { language, t: common } = frame
    const t = applicationTexts[language]
    const found = await read(frame)
    const known = facts([
      [t.id, html`<code>${found.clientId}</code>`],
      [t.kind, t.kinds[found.isPublic ? 'app' : 'service']],
      [t.roles, rightsOf(found, frame) || common.none],
      [t.redirects, found.redirectUris.join(' ') || common.none],
      [t.state, stateOf(found, t)],
      [t.used, found.lastUsedAt === null ? t.never : when(frame, found.lastUsedAt)],
      [t.created, when(frame, found.createdAt)],
    ])
    const secrets = found.secrets.map(
      ({ origin, createdAt, endsAt }) =>
        [
          html`${origin === 'file' ? t.file : t.made}${frame.t.colon}${when(frame, createdAt)}`,
          endsAt === null ? t.noEnd : html`${t.ends} ${when(frame, endsAt)}`,
        ] as const,
    )
    const list = html`<dl class="facts">${secrets.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
    return {
      title: found.name ?? found.clientId,
      crumbs: [[t.title, LIST], [found.name ?? found.clientId]],
      main: html`<section class="panel narrow">${known}</section>${secrets.length > 0 && html`<section class="panel narrow"><header><h2>${t.secrets}</h2></header>${list}</section>`}${keysPanel(found, t)}<div class="actions">${!found.isPublic && buttonLink(t.rotate, at(found, 'secret'))}${buttonLink(t.remove, at(found, 'delete'))}</div>`,
    }
  },
})

/** Keys in place of secrets: those that were registered, or where the application publishes them. */
function keysPanel({ jwks, jwksUri }: Application, t: ApplicationTexts): Html | null {
  const keys = (jwks?.keys ?? []).map(
    ({ kid, kty = '', crv, alg }) =>
      [kid === undefined ? t.noKid : foreign(kid), [crv ?? kty, alg].filter(Boolean).join(', ')] as const,
  )
  const address = jwksUri == null ? [] : [[t.keysAt, foreign(jwksUri, 500)] as const]
  if (keys.length + address.length === 0) return null
  const list = [...keys, ...address].map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return html`<section class="panel narrow"><header><h2>${t.keys}</h2></header><dl class="facts">${list}</dl></section>`
}

const rotate = confirmScreen({
  ...{ place, path: `${LIST}/{id}/secret`, summary: 'Makes a new secret of an application.' },
  ask: async (frame) => {
    const t = applicationTexts[frame.language]
    const found = await read(frame)
    return {
      title: t.rotateTitle,
      text: t.rotateText,
      button: t.rotate,
      look: 'main',
      crumbs: crumbs(found, t, t.rotate),
      back: at(found),
    }
  },
  act: async (frame) => {
    const path = `${API}/${encodeURIComponent(frame.params.id)}/secrets`
    const { data } = await frame.api.send<Application>('POST', path, { body: {}, headers: onceHeader(frame.fields) })
    return secretTold(frame, data)
  },
})

const remove = confirmScreen({
  ...{ place, path: `${LIST}/{id}/delete`, summary: 'Asks whether to delete an application, and does it.' },
  ask: async (frame) => {
    const t = applicationTexts[frame.language]
    const found = await read(frame)
    return {
      title: t.removeTitle,
      text: t.removeText,
      button: t.remove,
      look: 'danger',
      crumbs: crumbs(found, t, t.remove),
      back: at(found),
    }
  },
  act: async ({ api, params }) => {
    await api.send('DELETE', `${API}/${encodeURIComponent(params.id)}`)
    return { to: LIST }
  },
})

function crumbs(found: Application, t: ApplicationTexts, last: string) {
  return [[t.title, LIST], [found.name ?? found.clientId, at(found)], [last]] as const
}

/** Applications of the organisation. */
export const applicationScreens: readonly Endpoint[] = [...list, ...create, ...one, ...rotate, ...remove]
