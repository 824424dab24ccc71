import type { Endpoint } from '../../http/routes/endpoint.ts'
import { select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceHeader, typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { pager, table } from '../../pages/table.ts'
import { removeScreen } from '../frame/confirm.ts'
import { hasProblems, noProblems, type Problems, problemsOf } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { pathText, rowsOfAttributes } from './asked-attributes.ts'
import { type AskedDraft, blankCredential } from './asked-credential.ts'
import { checkDraft, fieldAt, inWords } from './check-draft.ts'
import { comparedRequests } from './compared.ts'
import { designer } from './designer.ts'
import { blankRequest, bodyOf, draftOf, edited, type RequestDraft, readDraft } from './draft.ts'
import { previewOf } from './preview.ts'
import type { RequestMeta, RequestTemplate } from './request.ts'
import { readSources, type Sources } from './sources.ts'
import { requestTexts } from './texts.ts'
import { verifierTexts } from './verifier-texts.ts'

const LIST = '/console/requests'
const API = '/creds/templates/presentations'
const place = 'requests'

const list = screen({
  ...{ place, path: LIST, summary: 'Lists what can be asked for.' },
  download: () => ({ path: API, query: { sort: 'name' } }),
  show: async (frame) => {
    const { api, query, language, texts } = frame
    const t = requestTexts[language]
    const { data, links, meta } = await api.get<readonly RequestTemplate[]>(API, {
      ...countedPageOf(query),
      sort: 'name',
    })
    const columns = [
      { heading: t.name, cell: (one: RequestTemplate) => html`<a href="${LIST}/${one.id}">${one.name}</a>` },
      { heading: t.asks, cell: asked },
      { heading: t.changed, cell: (one: RequestTemplate) => when(frame, one.updatedAt) },
    ]
    const add = may(frame, 'verification:write') && buttonLink(t.newRequest, `${LIST}/new`, 'main')
    const isEmpty = data.length === 0
    const main = isEmpty ? html`<div class="empty"><p>${t.empty}</p>${add}</div>` : table(t.title, columns, data)
    const actions = html`<div class="buttons">${!isEmpty && add}</div>`
    return {
      title: t.title,
      main: html`${totalLine(frame, meta, t.counted)}${main}${pager(texts, links, frame.here)}`,
      actions,
      isEmpty,
    }
  },
})

function asked({ credentials }: RequestTemplate): string {
  const names = credentials.flatMap(({ attributes, format }) =>
    rowsOfAttributes(attributes).map(({ path }) => pathText(format === 'mdoc' ? path.slice(1) : path)),
  )
  return names.join(', ')
}

const create = formScreen({
  ...{ place, path: `${LIST}/new`, summary: 'Makes a request out of credential templates and types.' },
  show: async (frame) => {
    const sources = await readSources(frame)
    if (frame.isKept) return shown(frame, sources, `${LIST}/new`, readDraft(frame.fields), noProblems)
    const { template, type, format } = frame.query
    if (type !== undefined)
      return begin(frame, sources, { ...blankCredential, type, ...(format === 'mdoc' && { format }) })
    const found = sources.sources.find(({ value }) => value === template)
    return found === undefined ? pick(frame, sources) : begin(frame, sources, found.credential)
  },
  send: (frame) => edit(frame, `${LIST}/new`, null),
})

function begin(frame: Frame, sources: Sources, one: AskedDraft): Screen {
  return shown(frame, sources, `${LIST}/new`, { ...blankRequest, name: one.name, credentials: [one] }, noProblems)
}

function shown(
  frame: Frame,
  { sources, entities }: Sources,
  action: string,
  draft: RequestDraft,
  problems: Problems,
  above?: Html,
): Screen {
  return designer(frame, { draft, action, problems, sources, entities, above })
}

/** First which credential, because its attributes are chosen next. */
function pick(frame: Frame, { sources }: Sources): Screen {
  const t = requestTexts[frame.language]
  const chooser = (isOwn: boolean, label: string) => {
    const choices = sources.filter((one) => one.isOwn === isOwn)
    const id = isOwn ? 'template' : 'other'
    if (choices.length === 0) return null
    const control = html`<div class="field"><label for="${id}">${label}</label><select id="${id}" name="template">${choices.map(({ value, text }) => html`<option value="${value}">${text}</option>`)}</select></div>`
    return card(
      html`<form method="get" action="${LIST}/new">${control}<div>${button(t.pick, isOwn ? { look: 'main' } : {})}</div></form>`,
    )
  }
  const none = html`<div class="empty"><p>${t.noTemplates}</p>${may(frame, 'issuance:write') && buttonLink(t.makeTemplate, '/console/templates')}</div>`
  const formats = Object.entries(t.formats).map(([value, text]) => ({ value, text }))
  const byHand = html`<details class="panel"><summary>${t.byHand}</summary><form class="inside" method="get" action="${LIST}/new">${field(frame, { name: 'type', label: t.typeAddress, isName: true, lengthMax: 256 })}${select(frame, { name: 'format', label: t.format, value: 'sd-jwt-vc', choices: formats })}<div>${button(t.pick)}</div></form></details>`
  return {
    title: t.newRequest,
    crumbs: [[t.title, LIST], [t.newRequest]],
    main: html`<div class="narrow stack">${chooser(true, t.own) ?? none}${chooser(false, t.others)}${byHand}</div>`,
  }
}

/** `etag`: of the saved request. */
type Current = {
  readonly found: RequestTemplate
  readonly meta: RequestMeta
  readonly etag: string
}

async function read({ api }: Frame, id: string): Promise<Current> {
  const { data, meta, etag } = await api.get<RequestTemplate>(`${API}/${encodeURIComponent(id)}`)
  // The shape that the route promises.
  return { found: data, meta: meta as unknown as RequestMeta, etag: etag ?? '' }
}

const one = formScreen({
  ...{ place, path: `${LIST}/{id}`, summary: 'Shows and changes what a request asks for.' },
  show: async (frame) => {
    const t = requestTexts[frame.language]
    const [{ found, meta, etag }, sources] = await Promise.all([read(frame, frame.params.id), readSources(frame)])
    const saved = { ...draftOf(found, meta, sources.templates), etag }
    const crumbs = [[t.title, LIST], [found.name]] as const
    if (!may(frame, 'verification:write'))
      return { title: found.name, crumbs, main: html`<div class="narrow">${previewOf(frame, saved)}</div>` }
    const draft = frame.isKept ? readDraft(frame.fields) : saved
    const actions = html`<div class="buttons">${buttonLink(t.use, '/console/verify')}${buttonLink(t.remove, `${LIST}/${found.id}/archive`)}</div>`
    return { ...shown(frame, sources, `${LIST}/${found.id}`, draft, noProblems), title: found.name, crumbs, actions }
  },
  send: async (frame) => edit(frame, `${LIST}/${frame.params.id}`, await read(frame, frame.params.id)),
})

/** Does what the pressed button says: edits the draft, draws the preview, or saves. */
async function edit(
  frame: Frame,
  action: string,
  current: Current | null,
): Promise<Screen | { readonly to: string } | { readonly fragment: Html }> {
  const draft = readDraft(frame.fields)
  const pressed = typed(frame.fields, 'do')
  if (pressed === 'preview' && frame.headers['sec-fetch-dest'] === 'empty') return { fragment: previewOf(frame, draft) }
  const sources = await readSources(frame)
  const show = (problems: Problems, now = draft, above?: Html) => shown(frame, sources, action, now, problems, above)
  if (pressed === 'more') return show(noProblems, withMore(draft, sources, typed(frame.fields, 'more')))
  if (pressed !== 'save') return show(noProblems, edited(draft, pressed) ?? draft)
  const words = { t: requestTexts[frame.language], v: verifierTexts[frame.language], common: frame.t }
  const problems = checkDraft(draft, words)
  if (hasProblems(problems)) return show(problems)
  const both = (now: Current) => {
    const theirs = draftOf(now.found, now.meta, sources.templates)
    const above = comparedRequests(frame, action, theirs, draft)
    return { ...show(noProblems, { ...draft, etag: now.etag }, above), status: 412, hasErrors: true }
  }
  try {
    const body = bodyOf(draft, current?.meta ?? null)
    if (current === null) await frame.api.send('POST', API, { body, headers: onceHeader(frame.fields) })
    else await frame.api.send('PUT', `${API}/${current.found.id}`, { body, ifMatch: draft.etag })
    return { to: LIST }
  } catch (error) {
    if (current !== null && error instanceof ApiRefusal && error.status === 412)
      return both(await read(frame, current.found.id))
    return show(
      inWords(
        problemsOf(error, (pointer) => fieldAt(pointer, draft), frame.t),
        words.v,
      ),
    )
  }
}

function withMore(draft: RequestDraft, { sources }: Sources, chosen: string): RequestDraft {
  const found = sources.find(({ value }) => value === chosen)
  const added = chosen === 'hand' ? blankCredential : found?.credential
  return added === undefined ? draft : { ...draft, credentials: [...draft.credentials, added] }
}

const archive = removeScreen({
  ...{ place, list: LIST, api: API, verb: 'archive', texts: requestTexts },
  summary: 'Asks whether to archive a request, and does it.',
  nameOf: async (frame) => (await read(frame, frame.params.id)).found.name,
})

/** The screens of presentation templates: what can be asked for. */
export const requestScreens: readonly Endpoint[] = [...list, ...create, ...one, ...archive]
