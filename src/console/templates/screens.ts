import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { onceHeader, typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink } from '../../pages/parts.ts'
import { badge, pageOf, pager, table } from '../../pages/table.ts'
import { hasProblems, noProblems, type Problems, problemsOf } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { cardOf, designer } from './designer.ts'
import { bodyOf, checkDraft, type Draft, draftOf, editRows, readDraft, starts } from './draft.ts'
import type { Template } from './template.ts'
import { type TemplateTexts, templateTexts } from './texts.ts'

const LIST = '/console/templates'
const API = '/creds/templates/credentials'
const place = 'templates'

const list = screen({
  ...{ place, path: LIST, summary: 'Lists the credential templates.' },
  show: async (frame) => {
    const t = templateTexts[frame.language]
    const { q, archived } = frame.query
    const query = {
      'search[name]': q,
      ...(archived !== undefined && { 'filter[archived]': 'true' }),
      ...pageOf(frame.query),
    }
    const { data, links } = await frame.api.get<readonly Template[]>(API, query)
    const isFiltered = (q ?? '') !== '' || archived !== undefined || frame.query.after !== undefined
    const actions = html`<div class="buttons">${may(frame, 'issuance:write') && html`<a class="button main" href="${LIST}/new">${t.new}</a>`}</div>`
    const main = html`${(isFiltered || data.length > 0) && filter(frame, t)}
${data.length > 0 ? rowsOf(frame, t, data) : isFiltered ? html`<div class="empty"><p>${t.emptyFilter}</p></div>` : emptyList(frame, t)}
${pager(frame.texts, links, frame.here)}`
    return { title: t.title, main, actions }
  },
})

function filter({ query, t: common }: Frame, t: TemplateTexts): Html {
  return html`<form class="filter" method="get" action="${LIST}"><div class="field"><label for="q">${t.search}</label><input id="q" name="q" type="search" maxlength="200" value="${query.q ?? ''}"></div>${button(common.filter)}<a class="button plain" href="${query.archived === undefined ? `${LIST}?archived=1` : LIST}">${query.archived === undefined ? t.archived : t.active}</a></form>`
}

function rowsOf(frame: Frame, t: TemplateTexts, templates: readonly Template[]): Html {
  const canIssue = may(frame, 'issuance:write')
  return table(
    t.title,
    [
      { heading: t.name, cell: ({ id, name }) => html`<a href="${LIST}/${id}">${name}</a>` },
      { heading: t.kind, cell: ({ format }) => t.formats[format] },
      { heading: t.changed, cell: ({ updatedAt }) => moment(updatedAt, frame.language) },
      {
        heading: t.issue,
        cell: ({ id, name, archivedAt }) =>
          archivedAt !== null
            ? badge(t.isArchived, 'plain')
            : (canIssue && html`<a href="/console/issue/${id}" aria-label="${t.issue}: ${name}">${t.issue}</a>`) || '–',
      },
    ],
    templates,
  )
}

function emptyList(frame: Frame, t: TemplateTexts): Html {
  const ways = Object.entries(t.starts).map(([from, text]) => buttonLink(text, `${LIST}/new?from=${from}`))
  return html`<div class="empty"><p>${t.empty}</p>${may(frame, 'issuance:write') && html`<div class="buttons">${ways}</div>`}</div>`
}

const create = formScreen({
  ...{ place, path: `${LIST}/new`, summary: 'Makes a credential template.' },
  show: async (frame) => {
    const t = templateTexts[frame.language]
    const draft = frame.isKept ? readDraft(frame.fields) : await startOf(frame, t)
    return designer(frame, { draft, action: `${LIST}/new`, problems: noProblems, fixedType: null })
  },
  send: (frame) => edit(frame, `${LIST}/new`, null),
})

async function startOf(frame: Frame, t: TemplateTexts): Promise<Draft> {
  const { from = 'blank', copy } = frame.query
  if (copy !== undefined) {
    const { data } = await frame.api.get<Template>(`${API}/${encodeURIComponent(copy)}`)
    return { ...draftOf(data, ''), code: '', name: data.name }
  }
  const isKnown = (name: string): name is keyof typeof starts => Object.hasOwn(starts, name)
  return starts[isKnown(from) ? from : 'blank'](t)
}

const one = formScreen({
  ...{ place, path: `${LIST}/{id}`, summary: 'Changes a credential template.' },
  show: async (frame) => {
    const { template, etag } = await read(frame, frame.params.id)
    if (template.archivedAt !== null || !may(frame, 'issuance:write')) return shown(frame, template)
    const draft = frame.isKept ? readDraft(frame.fields) : draftOf(template, etag)
    const page = designer(frame, {
      draft,
      action: `${LIST}/${template.id}`,
      problems: noProblems,
      fixedType: template.type,
    })
    return { ...page, title: template.name, actions: actionsOf(frame, template) }
  },
  send: async (frame) => edit(frame, `${LIST}/${frame.params.id}`, (await read(frame, frame.params.id)).template),
})

async function read({ api }: Frame, id: string) {
  const { data, etag } = await api.get<Template>(`${API}/${encodeURIComponent(id)}`)
  return { template: data, etag: etag ?? '' }
}

function actionsOf(frame: Frame, { id }: Template): Html {
  const t = templateTexts[frame.language]
  return html`<div class="buttons"><a class="button main" href="/console/issue/${id}">${t.issue}</a>${buttonLink(t.duplicate, `${LIST}/new?copy=${id}`)}${buttonLink(t.archive, `${LIST}/${id}/archive`)}</div>`
}

function shown(frame: Frame, template: Template): Screen {
  const t = templateTexts[frame.language]
  const draft = draftOf(template, '')
  const rows = draft.rows.map(
    ({ key, name, type }) =>
      html`<div><dt>${name || key}</dt><dd>${Object.hasOwn(t.types, type) ? t.types[type as keyof typeof t.types] : t.nested}</dd></div>`,
  )
  return {
    title: template.name,
    crumbs: [[t.title, LIST], [template.name]],
    main: html`<div class="beside"><section class="panel"><header><h2>${t.attributes}</h2>${template.archivedAt !== null && badge(t.isArchived, 'plain')}</header><dl class="facts">${rows}</dl></section><div>${cardOf(frame, draft)}</div></div>`,
    actions: html`<div class="buttons">${may(frame, 'issuance:write') && buttonLink(t.duplicate, `${LIST}/new?copy=${template.id}`)}</div>`,
  }
}

/** Does what the pressed button says: edits the rows, draws the card, or saves. */
async function edit(
  frame: Frame,
  action: string,
  current: Template | null,
): Promise<Screen | { readonly to: string } | { readonly fragment: Html }> {
  const t = templateTexts[frame.language]
  const draft = readDraft(frame.fields)
  const pressed = typed(frame.fields, 'do')
  const fixedType = current?.type ?? null
  const show = (problems: Problems, now = draft, at?: number) =>
    designer(frame, { draft: now, action, problems, fixedType, at })
  if (pressed === 'preview' && frame.headers['sec-fetch-dest'] === 'empty') return { fragment: cardOf(frame, draft) }
  if (pressed !== 'save') {
    const edited = editRows(draft, pressed)
    return edited === null ? show(noProblems) : show(noProblems, edited.draft, edited.at)
  }
  const problems = checkDraft(draft, t, frame.t)
  if (hasProblems(problems)) return show(problems)
  try {
    await save(frame, draft, current)
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 412 && current !== null)
      return conflict(frame, draft, current.id, action)
    return show(problemsOf(error, (pointer) => fieldAt(pointer, draft)))
  }
  return { to: LIST }
}

async function save({ api, fields }: Frame, draft: Draft, current: Template | null): Promise<void> {
  const body = bodyOf(draft, current)
  if (current === null) await api.send('POST', API, { body, headers: onceHeader(fields) })
  else await api.send('PUT', `${API}/${current.id}`, { body, ifMatch: draft.etag })
}

/** Both versions: what another person saved, and what was typed here. */
async function conflict(frame: Frame, draft: Draft, id: string, action: string): Promise<Screen> {
  const t = templateTexts[frame.language]
  const { template, etag } = await read(frame, id)
  const theirs = draftOf(template, etag)
  const said = (one: Draft, name: 'name' | 'description' | 'rows' | 'back' | 'ink') =>
    name === 'rows' ? one.rows.map((row) => `${row.name || row.key}`).join(', ') : one[name]
  const labels = { name: t.name, description: t.about, rows: t.attributes, back: t.back, ink: t.ink }
  const names = ['name', 'description', 'rows', 'back', 'ink'] as const
  const differing = names.filter((name) => said(theirs, name) !== said(draft, name))
  const compared = table(
    t.changedTitle,
    [
      { heading: t.name, cell: (name) => labels[name] },
      { heading: t.theirs, cell: (name) => said(theirs, name) },
      { heading: t.yours, cell: (name) => said(draft, name) },
    ],
    differing,
  )
  const both = html`<div class="message warn" role="alert" tabindex="-1" autofocus><h2>${t.changedTitle}</h2><p>${t.changedText}</p><p><a href="${action}">${t.takeTheirs}</a></p></div>${compared}`
  const page = designer(frame, {
    draft: { ...draft, etag },
    action,
    problems: noProblems,
    fixedType: template.type,
    conflict: both,
  })
  return { ...page, status: 412, hasErrors: true }
}

/** The field of the form at which a finding of the API belongs. */
function fieldAt(pointer: string, { rows, format }: Draft): string | null {
  const [, first = '', ...rest] = pointer.split('/')
  if (first !== 'attributes')
    return (
      { name: 'name', code: 'code', description: 'description', docType: 'docType', validUntil: 'date' }[first] ?? null
    )
  const [namespace, key] = format === 'mdoc' ? rest : ['', rest[0]]
  const at = rows.findIndex((row) => row.key === key && (format !== 'mdoc' || row.namespace === namespace))
  return at < 0 ? null : `key-${at}`
}

const archive = formScreen({
  ...{ place, path: `${LIST}/{id}/archive`, summary: 'Archives a credential template.' },
  show: async (frame) => {
    const t = templateTexts[frame.language]
    const { template } = await read(frame, frame.params.id)
    const here = `${LIST}/${template.id}`
    const content = html`${hidden('sure', '1')}<p>${t.archiveText}</p><div class="buttons">${button(t.archive, { look: 'danger' })}${buttonLink(frame.t.cancel, here)}</div>`
    return {
      title: t.archiveTitle,
      crumbs: [[t.title, LIST], [template.name, here], [t.archive]],
      main: html`<div class="narrow">${form(frame, `${here}/archive`, content)}</div>`,
    }
  },
  send: async (frame) => {
    await frame.api.send('DELETE', `${API}/${encodeURIComponent(frame.params.id)}`)
    return { to: LIST }
  },
})

/** Credential templates. */
export const templateScreens: readonly Endpoint[] = [...list, ...create, ...one, ...archive]
