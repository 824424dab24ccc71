import type { JsonObject } from '../../crypto/json.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { checkboxes, hidden, select } from '../../pages/controls.ts'
import { field, form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card, facts } from '../../pages/parts.ts'
import { pageOf, pager, table } from '../../pages/table.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf, typedAll } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { attributesOf, labelOf, type PlacedAttribute, type Template } from '../templates/template.ts'
import { deskTexts } from './texts.ts'

const LIST = '/console/requests'
const API = '/creds/templates/presentations'
const TEMPLATES = '/creds/templates/credentials'
const place = 'requests'

type Request = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly credentials: readonly {
    readonly type: string
    readonly format: string
    readonly name?: string
    readonly attributes: JsonObject
  }[]
}

const list = screen({
  ...{ place, path: LIST, summary: 'Lists what can be asked for.' },
  show: async (frame) => {
    const { api, query, language, texts } = frame
    const t = deskTexts[language]
    const { data, links } = await api.get<readonly Request[]>(API, { ...pageOf(query), sort: 'name' })
    const columns = [
      { heading: t.name, cell: (one: Request) => html`<a href="${LIST}/${one.id}">${one.name}</a>` },
      { heading: t.asks, cell: (one: Request) => asked(one).join(', ') },
    ]
    const add = may(frame, 'verification:write') && html`<a class="button main" href="${LIST}/new">${t.newRequest}</a>`
    const main =
      data.length === 0
        ? html`<div class="empty"><p>${t.noRequestYet}</p>${add}</div>`
        : table(t.requests, columns, data)
    return {
      title: t.requests,
      main: html`${main}${pager(texts, links, frame.here)}`,
      actions: html`<div class="buttons">${data.length > 0 && add}</div>`,
    }
  },
})

function asked({ credentials }: Request): readonly string[] {
  return credentials.flatMap(({ attributes, format }) =>
    // Of an mdoc by namespace.
    format === 'mdoc'
      ? Object.values(attributes).flatMap((one) =>
          Object.keys((one as { properties?: object } | null)?.properties ?? {}),
        )
      : Object.keys(attributes),
  )
}

const create = formScreen({
  ...{ place, path: `${LIST}/new`, summary: 'Makes a request out of an own credential template.' },
  show: async (frame) => {
    const id = frame.query.template ?? typed(frame.fields, 'template')
    return id === '' ? pick(frame) : requestForm(frame, await templateOf(frame, id), noProblems)
  },
  send: async (frame) => {
    const t = deskTexts[frame.language]
    const template = await templateOf(frame, typed(frame.fields, 'template'))
    const chosen = attributesOf(template).filter((one) => typedAll(frame.fields, 'attributes').includes(pathOf(one)))
    if (typed(frame.fields, 'name') === '')
      return requestForm(frame, template, { fields: { name: frame.t.required(t.name) } })
    if (chosen.length === 0) return requestForm(frame, template, { fields: {}, general: t.all })
    try {
      const call = { body: bodyOf(frame, template, chosen), headers: onceHeader(frame.fields) }
      await frame.api.send('POST', API, call)
      return { to: LIST }
    } catch (error) {
      return requestForm(
        frame,
        template,
        problemsOf(error, (pointer) => ({ '/name': 'name', '/description': 'purpose' })[pointer] ?? null, frame.t),
      )
    }
  },
})

async function templateOf({ api }: Frame, id: string): Promise<Template> {
  return (await api.get<Template>(`${TEMPLATES}/${encodeURIComponent(id)}`)).data
}

/** First which credential, because its attributes are chosen next. */
async function pick(frame: Frame): Promise<Screen> {
  const t = deskTexts[frame.language]
  const { data } = await frame.api.get<readonly Template[]>(TEMPLATES, { 'page[size]': '100', sort: 'name' })
  const choices = data.map(({ id, name }) => ({ value: id, text: name }))
  const none = html`<div class="empty"><p>${t.noTemplates}</p>${may(frame, 'issuance:write') && buttonLink(t.makeTemplate, '/console/templates')}</div>`
  const chooser = html`<form class="narrow" method="get" action="${LIST}/new">${select(frame, { name: 'template', label: t.template, value: '', choices })}<div>${button(t.pick, { look: 'main' })}</div></form>`
  return { title: t.newRequest, crumbs: [[t.requests, LIST], [t.newRequest]], main: data.length === 0 ? none : chooser }
}

function requestForm(frame: Frame, template: Template, problems: Problems): Screen {
  const t = deskTexts[frame.language]
  const isTyped = frame.fields.size > 0
  const choices = attributesOf(template).map((one) => ({ value: pathOf(one), text: labelOf(one) }))
  const fields = html`${field(frame, { name: 'name', label: t.name, value: isTyped ? typed(frame.fields, 'name') : template.name, lengthMax: 200, error: problems.fields.name })}${field(frame, { name: 'purpose', label: t.purpose, hint: t.purposeHint, value: typed(frame.fields, 'purpose'), isOptional: true, lengthMax: 2000, error: problems.fields.purpose })}${checkboxes('attributes', t.attributes, choices, typedAll(frame.fields, 'attributes'))}<p class="hint">${t.ownOnly}</p>`
  const content = html`${hidden('template', template.id)}${onceField(frame.fields)}${card(fields)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.newRequest,
    crumbs: [[t.requests, LIST], [t.newRequest]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

function pathOf({ namespace, key }: PlacedAttribute): string {
  return namespace === '' ? key : `${namespace} ${key}`
}

function bodyOf({ fields }: Frame, template: Template, chosen: readonly PlacedAttribute[]): object {
  const flat = Object.fromEntries(chosen.map(({ key }) => [key, {}]))
  const byNamespace = Object.groupBy(chosen, ({ namespace }) => namespace)
  const nested = Object.fromEntries(
    Object.entries(byNamespace).map(([namespace, ones = []]) => [
      namespace,
      { properties: Object.fromEntries(ones.map(({ key }) => [key, {}])) },
    ]),
  )
  const { type, format, name } = template
  const credential = { type, format, name, attributes: format === 'mdoc' ? nested : flat }
  return { name: typed(fields, 'name'), description: typed(fields, 'purpose'), credentials: [credential] }
}

async function read({ api, params }: Frame<{ readonly id: string }>): Promise<Request> {
  return (await api.get<Request>(`${API}/${encodeURIComponent(params.id)}`)).data
}

const one = screen({
  ...{ place, path: `${LIST}/{id}`, summary: 'Shows what a request asks for.' },
  show: async (frame) => {
    const t = deskTexts[frame.language]
    const found = await read(frame)
    const known = facts([
      [t.purpose, found.description || frame.t.none],
      [t.asks, asked(found).join(', ')],
    ])
    const actions = may(frame, 'verification:write')
      ? html`<div class="actions">${buttonLink(t.remove, `${LIST}/${found.id}/archive`)}</div>`
      : undefined
    return {
      title: found.name,
      crumbs: [[t.requests, LIST], [found.name]],
      main: html`<section class="panel narrow">${known}</section>${actions}`,
    }
  },
})

const archive = confirmScreen({
  ...{ place, path: `${LIST}/{id}/archive`, summary: 'Asks whether to archive a request, and does it.' },
  ask: async (frame) => {
    const t = deskTexts[frame.language]
    const { id, name } = await read(frame)
    return {
      title: t.removeTitle,
      text: `${name}: ${t.removeText}`,
      button: t.remove,
      look: 'danger',
      crumbs: [[t.requests, LIST], [name, `${LIST}/${id}`], [t.remove]],
      back: `${LIST}/${id}`,
    }
  },
  act: async ({ api, params }) => {
    await api.send('DELETE', `${API}/${encodeURIComponent(params.id)}`)
    return { to: LIST }
  },
})

/** The screens of presentation templates: what the desk requests. */
export const requestScreens: readonly Endpoint[] = [...list, ...create, ...one, ...archive]
