import type { MetaOf } from '../../contract/api-operation.ts'
import { trustedEntities } from '../../contract/trust/trusted-entities.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { checkboxes, hidden, textArea } from '../../pages/controls.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card, facts } from '../../pages/parts.ts'
import { badge, pager, table } from '../../pages/table.ts'
import { bothVersions } from '../frame/both-versions.ts'
import { removeScreen } from '../frame/confirm.ts'
import { emptyList } from '../frame/empty-list.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type Frame, formScreen, listOf, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { day, when } from '../frame/when.ts'
import {
  blank,
  bodyOf,
  checkDraft,
  type Draft,
  draftOf,
  type Entity,
  LIST,
  place,
  readDraft,
  refusedDraft,
} from './entity.ts'
import { type TrustedTexts, trustedTexts } from './texts.ts'

const PEM_CHARS_MAX = 200_000

const list = screen({
  place,
  path: LIST,
  summary: 'Lists the trusted entities.',
  download: ({ query }) => listOf(trustedEntities.list, { query: { 'search[name]': query.q, sort: 'name' } }),
  show: async (frame) => {
    const t = trustedTexts[frame.language]
    const { q = '' } = frame.query
    const query = { 'search[name]': q, sort: 'name', ...countedPageOf(frame.query) }
    const { data, links, meta } = await frame.api.call(trustedEntities.list, { query })
    const isFiltered = q !== '' || frame.query.after !== undefined || frame.query.before !== undefined
    const columns = [
      { heading: t.name, cell: (one: Entity) => html`<a href="${at(one)}">${foreign(one.name)}</a>` },
      { heading: t.purposes, cell: (one: Entity) => purposesOf(one, t) },
      { heading: t.known, cell: (one: Entity) => knownBy(one, t) || frame.t.none },
      { heading: t.changed, cell: (one: Entity) => when(frame, one.updatedAt) },
    ]
    const filter = html`<form class="filter" method="get" action="${LIST}"><div class="field"><label for="q">${t.search}</label><input id="q" name="q" type="search" maxlength="200" value="${q}"></div>${button(frame.t.filter)}</form>`
    const canWrite = may(frame, 'trust:write')
    const none = emptyList(frame, {
      isFiltered,
      fits: t.emptyFilter,
      empty: t.empty,
      way: canWrite && buttonLink(t.new, `${LIST}/new`),
    })
    const actions = html`<div class="buttons">${canWrite && buttonLink(t.new, `${LIST}/new`, 'main')}</div>`
    return {
      title: t.title,
      main: html`<p class="lead">${t.lead}</p>${(isFiltered || data.length > 0) && filter}${totalLine(frame, meta, t.counted)}${data.length === 0 ? none : table(t.title, columns, data)}${pager(frame.texts, links, frame.here)}`,
      actions,
      isEmpty: data.length === 0,
    }
  },
})

function at({ id }: { readonly id: string }): string {
  return `${LIST}/${encodeURIComponent(id)}`
}

function purposesOf({ purposes }: Entity, t: TrustedTexts): string {
  return purposes.map((one) => t.purpose[one] ?? one).join(', ')
}

function knownBy(entity: Entity, t: TrustedTexts): string {
  const kinds = ['issuers', 'dids', 'certificates'] as const
  return kinds.flatMap((kind) => (entity[kind].length === 0 ? [] : [t.counts[kind](entity[kind].length)])).join(', ')
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Adds a trusted entity.',
  show: (frame) => entityForm(frame, frame.isKept ? readDraft(frame) : blank, noProblems),
  send: async (frame) => {
    const draft = readDraft(frame)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return entityForm(frame, draft, problems)
    try {
      const sent = { body: bodyOf(draft), headers: onceHeader(frame.fields) }
      const { data } = await frame.api.call(trustedEntities.create, sent)
      return { to: at(data) }
    } catch (error) {
      return entityForm(frame, draft, refusedDraft(error, draft, trustedTexts[frame.language]))
    }
  },
})

function entityForm(frame: Frame, draft: Draft, problems: Problems): Screen {
  const t = trustedTexts[frame.language]
  const content = html`${onceField(frame.fields)}${card(fieldsOf(frame, draft, problems))}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.new,
    crumbs: [[t.title, LIST], [t.new]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

/** Returns the fields of a trusted entity. */
export function fieldsOf(frame: Frame, draft: Draft, { fields }: Problems): Html {
  const t = trustedTexts[frame.language]
  const choices = Object.entries(t.purpose).map(([value, text]) => ({ value, text }))
  const lines = (name: 'issuers' | 'dids' | 'certificates' | 'signerUsages', rows: number) =>
    textArea(frame, {
      name,
      label: t[name],
      hint: t[`${name}Hint`],
      value: draft[name],
      error: fields[name],
      rows,
      isOptional: true,
      isCode: name === 'certificates',
      lengthMax: PEM_CHARS_MAX,
    })
  const wrong = fields['purposes-issuer']
  const about = { label: t.name, hint: t.nameHint, value: draft.name, lengthMax: 200, error: fields.name }
  const problem = wrong !== undefined && html`<p class="error">${wrong}</p>`
  return html`${field(frame, { name: 'name', ...about })}
${problem}${checkboxes('purposes', t.purposes, choices, draft.purposes)}
${lines('issuers', 2)}${lines('dids', 2)}${lines('certificates', 8)}${lines('signerUsages', 1)}`
}

type Params = { readonly id: string }
type Summary = MetaOf<typeof trustedEntities.get>['certificates'][number]

async function read({ api, params }: Frame<Params>) {
  const { data, meta, etag } = await api.call(trustedEntities.get, { params: { id: params.id } })
  // The shape that the route promises.
  return { entity: data, certificates: meta.certificates, etag: etag ?? '' }
}

const one = formScreen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows a trusted entity, and changes it.',
  show: async (frame) => {
    const found = await read(frame)
    return entityPage(frame, found, frame.isKept ? readDraft(frame) : draftOf(found.entity, found.etag), noProblems)
  },
  send: async (frame) => {
    const found = await read(frame)
    const draft = readDraft(frame)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return entityPage(frame, found, draft, problems)
    try {
      const sent = { body: bodyOf(draft), ifMatch: draft.etag }
      await frame.api.call(trustedEntities.replace, { params: { id: frame.params.id }, ...sent })
      return { to: at(frame.params) }
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 412) return conflict(frame, draft)
      return entityPage(frame, found, draft, refusedDraft(error, draft, trustedTexts[frame.language]))
    }
  },
})

type Found = Awaited<ReturnType<typeof read>>

function entityPage(frame: Frame, found: Found, draft: Draft, problems: Problems, both?: Html): Screen {
  const t = trustedTexts[frame.language]
  const { entity, certificates } = found
  const canWrite = may(frame, 'trust:write')
  const name = shownText(entity.name)
  const content = html`${hidden('etag', draft.etag)}${card(fieldsOf(frame, draft, problems))}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  const actions = canWrite && html`<div class="buttons">${buttonLink(t.remove, `${at(entity)}/delete`)}</div>`
  const known = html`<section class="panel">${knownFacts(frame, entity)}</section>${certificates.length > 0 && certificateTable(frame, certificates)}`
  return {
    title: name,
    crumbs: [[t.title, LIST], [name]],
    main: html`${problemList(frame.texts.problems, problems)}${both}<div class="columns"><div class="stack">${known}</div>${canWrite && form(frame, at(entity), content)}</div>`,
    actions: actions || undefined,
    hasErrors: hasProblems(problems),
  }
}

function knownFacts(frame: Frame, entity: Entity): Html {
  const t = trustedTexts[frame.language]
  const many = (values: readonly string[]) =>
    values.length === 0 ? frame.t.none : html`${values.map((one) => html`<code>${foreign(one, 500)}</code> `)}`
  return facts([
    [t.purposes, purposesOf(entity, t)],
    [t.issuers, many(entity.issuers)],
    [t.dids, many(entity.dids.map(({ did }) => did))],
    [t.changed, when(frame, entity.updatedAt)],
  ])
}

function certificateTable(frame: Frame, certificates: readonly Summary[]): Html {
  const t = trustedTexts[frame.language]
  const columns = [
    { heading: t.subject, cell: ({ subject }: Summary) => foreign(subject) },
    {
      heading: t.validUntil,
      cell: ({ notAfter }: Summary) =>
        html`${day(frame, notAfter)} ${Date.parse(notAfter) < frame.now.getTime() && badge(t.ended, 'bad')}`,
    },
  ]
  return table(t.certificates, columns, certificates)
}

/** Both versions: what another person saved, and what was typed here. */
async function conflict(frame: Frame<Params>, draft: Draft): Promise<Screen> {
  const t = trustedTexts[frame.language]
  const found = await read(frame)
  const theirs = draftOf(found.entity, found.etag)
  const names = ['name', 'purposes', 'issuers', 'dids', 'certificates', 'signerUsages'] as const
  const text = (one: Draft, name: (typeof names)[number]) => foreign(String(one[name]), 500)
  const differing = names.filter((name) => String(theirs[name]) !== String(draft[name]))
  const both = bothVersions(t, at(found.entity), {
    name: t.what,
    differing,
    label: (name) => t[name],
    theirs: (name) => text(theirs, name),
    yours: (name) => text(draft, name),
  })
  const page = entityPage(frame, found, { ...draft, etag: found.etag }, noProblems, both)
  return { ...page, status: 412, hasErrors: true }
}

const remove = removeScreen({
  place,
  list: LIST,
  operation: trustedEntities.delete,
  texts: trustedTexts,
  summary: 'Asks whether to delete a trusted entity, and does it.',
  nameOf: async (frame) => shownText((await read(frame)).entity.name),
})

/** Trusted entities. */
export const trustedScreens: readonly Endpoint[] = [...list, ...create, ...one, ...remove]
