import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { choicesIn, hidden, searchInput, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceHeader, typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { type Choices, isSearching, searchField } from '../frame/chooser.ts'
import { removeScreen } from '../frame/confirm.ts'
import { findingsOf, hasProblems, noProblems, type Problems } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { tableScreen } from '../frame/table-screen.ts'
import { when } from '../frame/when.ts'
import { askedPathText, rowsOfAttributes } from './asked-attributes.ts'
import { blankCredential } from './asked-credential.ts'
import { comparedRequests } from './compared.ts'
import { requestDesigner } from './designer.ts'
import { blankRequest, draftOfRequest, edited, type RequestDraft, readRequestDraft, requestBody } from './draft.ts'
import { isSearchingEntities, readEntities, withChosen } from './entity-choices.ts'
import { requestFaults, requestPlaceOf } from './findings.ts'
import { previewOf } from './preview.ts'
import type { RequestMeta, RequestTemplate } from './request.ts'
import { findSource, type RequestSources, readRequestSources, withTypes } from './sources.ts'
import { requestTexts } from './texts.ts'
import { verifierTexts } from './verifier-texts.ts'

const LIST = '/console/requests'
const place = 'requests'

const list = tableScreen({
  place,
  path: LIST,
  summary: 'Lists what can be asked for.',
  operation: presentationTemplates.list,
  texts: ({ language }) => requestTexts[language],
  orders: { names: ['createdAt', 'name'], byDefault: 'name' },
  filters: ({ query: { q, type } }) => ({ 'search[name]': q?.trim(), 'filter[type]': type }),
  fields: ({ language, query: { q, type } }) =>
    html`${searchInput('q', requestTexts[language].search, q)}${type !== undefined && hidden('type', type)}`,
  columns: (frame) => {
    const t = requestTexts[frame.language]
    return [
      { heading: t.name, cell: ({ id, name }) => html`<a href="${LIST}/${id}">${name}</a>`, sort: 'name' },
      { heading: t.asks, cell: asked },
      { heading: t.changed, cell: ({ updatedAt }) => when(frame, updatedAt) },
    ]
  },
  none: (frame) => {
    const t = requestTexts[frame.language]
    return { fits: t.nothingFits, empty: t.empty, way: wayToNew(frame) }
  },
  actions: (frame) => html`<div class="buttons">${wayToNew(frame)}</div>`,
})

function wayToNew(frame: Frame): Html | false {
  return may(frame, 'verification:write') && buttonLink(requestTexts[frame.language].newRequest, `${LIST}/new`, 'main')
}

function asked({ credentials }: RequestTemplate): string {
  const names = credentials.flatMap(({ attributes, format }) =>
    rowsOfAttributes(attributes).map(({ path }) => askedPathText(format === 'mdoc' ? path.slice(1) : path)),
  )
  return names.join(', ')
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Makes a request out of credential templates and types.',
  show: async (frame) => {
    const create = async (draft: RequestDraft) =>
      shown(frame, await readChoosable(frame, draft), `${LIST}/new`, draft, noProblems)
    if (frame.isKept) return create(readRequestDraft(frame.fields))
    const { template = '', type, format } = frame.query
    const ofType = (one: string) => ({ ...blankCredential, type: one, ...(format === 'mdoc' && ({ format } as const)) })
    const credential = type === undefined ? (await findSource(frame, template))?.credential : ofType(type)
    if (credential === undefined) return pick(frame, await readRequestSources(frame, true))
    return create({ ...blankRequest, name: credential.name, credentials: [credential] })
  },
  send: (frame) => edit(frame, `${LIST}/new`, null),
})

/** What the designer lets people choose from. */
type Choosable = { readonly sources: RequestSources; readonly entities: Choices }

async function readChoosable(frame: Frame, { credentials }: RequestDraft): Promise<Choosable> {
  const [sources, entities] = await Promise.all([readRequestSources(frame, false), readEntities(frame)])
  const chosen = credentials.flatMap((one) => one.entities)
  return { sources, entities: await withChosen(frame, entities, chosen) }
}

function shown(
  frame: Frame,
  { sources, entities }: Choosable,
  action: string,
  draft: RequestDraft,
  problems: Problems,
  above?: Html,
): Screen {
  return requestDesigner(frame, { draft, action, problems, sources, entities, above })
}

/** First which credential, because its attributes are chosen next. */
function pick(frame: Frame, { own, others }: RequestSources): Screen {
  const t = requestTexts[frame.language]
  const chooser = ({ rows }: Choices, isOwn: boolean, label: string) => {
    const id = isOwn ? 'template' : 'other'
    if (rows.length === 0) return null
    const options = rows.map(({ id: value, name }) => html`<option value="${value}">${name}</option>`)
    return card(html`<form method="get" action="${LIST}/new">
      <div class="field">
        <label for="${id}">${label}</label>
        <select id="${id}" name="template">${options}</select>
      </div>
      <div>${button(t.pick, isOwn ? { look: 'main' } : {})}</div>
    </form>`)
  }
  const none = html`<div class="empty">
    <p>${t.noTemplates}</p>
    ${may(frame, 'issuance:write') && buttonLink(t.makeTemplate, '/console/templates')}
  </div>`
  const both = { ...own, isCut: own.isCut || others.isCut, isNone: own.isNone && others.isNone }
  const finder = searchField(frame, 'more', both)
  const search = finder && card(html`<form method="get" action="${LIST}/new">${finder}</form>`)
  const formats = choicesIn(t.formats)
  const byHand = html`<details class="panel">
    <summary>${t.byHand}</summary>
    <form class="inside" method="get" action="${LIST}/new">
      ${field(frame, { name: 'type', label: t.typeAddress, isName: true, lengthMax: 256 })}
      ${select(frame, { name: 'format', label: t.format, value: 'sd-jwt-vc', choices: formats })}
      <div>${button(t.pick)}</div>
    </form>
  </details>`
  return {
    title: t.newRequest,
    crumbs: [[t.title, LIST], [t.newRequest]],
    main: html`<div class="narrow stack">
      ${chooser(own, true, t.own) ?? (search === null && none)}
      ${chooser(others, false, t.others)}
      ${search}
      ${byHand}
    </div>`,
  }
}

/** `etag`: of the saved request. */
type Current = {
  readonly found: RequestTemplate
  readonly meta: RequestMeta
  readonly etag: string
}

async function read({ api }: Frame, id: string): Promise<Current> {
  const { data, meta, etag } = await api.call(presentationTemplates.get, { params: { id } })
  // The shape that the route promises.
  return { found: data, meta, etag: etag ?? '' }
}

const one = formScreen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows and changes what a request asks for.',
  show: async (frame) => {
    const t = requestTexts[frame.language]
    const [{ found, meta, etag }, sources, entities] = await Promise.all([
      read(frame, frame.params.id),
      readRequestSources(frame, false),
      readEntities(frame),
    ])
    const saved = { ...draftOfRequest(found, meta, await ownTemplates(frame, found, sources)), etag }
    const crumbs = [[t.title, LIST], [found.name]] as const
    if (!may(frame, 'verification:write'))
      return { title: found.name, crumbs, main: html`<div class="narrow">${previewOf(frame, saved)}</div>` }
    const draft = frame.isKept ? readRequestDraft(frame.fields) : saved
    const chosen = draft.credentials.flatMap((each) => each.entities)
    const choosable = { sources, entities: await withChosen(frame, entities, chosen) }
    const actions = html`<div class="buttons">
      ${buttonLink(t.use, '/console/verify')}
      ${buttonLink(t.remove, `${LIST}/${found.id}/archive`)}
    </div>`
    return { ...shown(frame, choosable, `${LIST}/${found.id}`, draft, noProblems), title: found.name, crumbs, actions }
  },
  send: async (frame) => edit(frame, `${LIST}/${frame.params.id}`, await read(frame, frame.params.id)),
})

function ownTemplates(frame: Frame, { credentials }: RequestTemplate, { templates }: RequestSources) {
  return withTypes(
    frame,
    templates,
    credentials.map(({ type }) => type),
  )
}

/** Does what the pressed button says: edits the draft, draws the preview, or saves. */
async function edit(
  frame: Frame,
  action: string,
  current: Current | null,
): Promise<Screen | { readonly to: string } | { readonly fragment: Html }> {
  const draft = readRequestDraft(frame.fields)
  const pressed = typed(frame.fields, 'do')
  if (pressed === 'preview' && frame.headers['sec-fetch-dest'] === 'empty') return { fragment: previewOf(frame, draft) }
  const choosable = await readChoosable(frame, draft)
  const show = (problems: Problems, now = draft, above?: Html) => shown(frame, choosable, action, now, problems, above)
  if (pressed === 'more') return show(noProblems, withMore(draft, choosable.sources, typed(frame.fields, 'more')))
  if (pressed !== 'save' || isSearching(frame, 'more') || isSearchingEntities(frame))
    return show(noProblems, edited(draft, pressed) ?? draft)
  const problems = requestFaults(draft, { t: requestTexts[frame.language], v: verifierTexts[frame.language] })
  if (hasProblems(problems)) return show(problems)
  const both = async (now: Current) => {
    const theirs = draftOfRequest(now.found, now.meta, await ownTemplates(frame, now.found, choosable.sources))
    const above = comparedRequests(frame, action, theirs, draft)
    return { ...show(noProblems, { ...draft, etag: now.etag }, above), status: 412, hasErrors: true }
  }
  try {
    const body = requestBody(draft, current?.meta ?? null)
    if (current === null)
      await frame.api.call(presentationTemplates.create, { body, headers: onceHeader(frame.fields) })
    else
      await frame.api.call(presentationTemplates.replace, {
        params: { id: current.found.id },
        body,
        ifMatch: draft.etag,
      })
    return { to: LIST }
  } catch (error) {
    if (current !== null && error instanceof ApiRefusal && error.status === 412)
      return both(await read(frame, current.found.id))
    return show(findingsOf(frame, error, (pointer) => requestPlaceOf(pointer, draft, frame.t)))
  }
}

function withMore(draft: RequestDraft, { own, others }: RequestSources, chosen: string): RequestDraft {
  const found = [...own.rows, ...others.rows].find(({ id }) => id === chosen)
  const added = chosen === 'hand' ? blankCredential : found?.credential
  return added === undefined ? draft : { ...draft, credentials: [...draft.credentials, added] }
}

const archive = removeScreen({
  place,
  list: LIST,
  operation: presentationTemplates.archive,
  verb: 'archive',
  texts: requestTexts,
  summary: 'Asks whether to archive a request, and does it.',
  nameOf: async (frame) => (await read(frame, frame.params.id)).found.name,
})

/** The screens of presentation templates: what can be asked for. */
export const requestScreens: readonly Endpoint[] = [...list, ...create, ...one, ...archive]
