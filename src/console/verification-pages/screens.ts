import { verificationPages } from '../../contract/verification/verification-pages.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceHeader } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink } from '../../pages/parts.ts'
import { badge, pager, table } from '../../pages/table.ts'
import { bothVersions } from '../frame/both-versions.ts'
import { type Choices, chosenIn, isSearching } from '../frame/chooser.ts'
import { removeScreen } from '../frame/confirm.ts'
import { emptyList } from '../frame/empty-list.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import {
  blank,
  bodyOf,
  checkDraft,
  type Draft,
  draftOf,
  LIST,
  newBody,
  place,
  readDraft,
  refusedDraft,
  type VerificationPage,
} from './page.ts'
import { pageForm, requestsOf } from './page-form.ts'
import { pageTexts } from './texts.ts'

type Params = { readonly id: string }

function at({ id }: Params): string {
  return `${LIST}/${encodeURIComponent(id)}`
}

const list = screen({
  place,
  path: LIST,
  summary: 'Lists the verification pages.',
  show: async (frame) => {
    const { api, query, language, texts } = frame
    const t = pageTexts[language]
    const q = query.q ?? ''
    const asked = { ...countedPageOf(query), 'search[name]': q, sort: 'name' }
    const { data, links, meta } = await api.call(verificationPages.list, { query: asked })
    const isFiltered = q !== '' || query.after !== undefined || query.before !== undefined
    const columns = [
      { heading: t.name, cell: (one: VerificationPage) => html`<a href="${at(one)}">${foreign(one.name)}</a>` },
      { heading: t.asksFor, cell: (one: VerificationPage) => foreign(one.templateName) },
      { heading: t.state, cell: ({ isOpen }: VerificationPage) => stateOf(isOpen, frame) },
      { heading: t.websites, cell: ({ origins }: VerificationPage) => origins.join(', ') || frame.t.none },
      { heading: t.changed, cell: ({ updatedAt }: VerificationPage) => when(frame, updatedAt) },
    ]
    const filter = html`<form class="filter" method="get" action="${LIST}"><div class="field"><label for="q">${t.search}</label><input id="q" name="q" type="search" maxlength="200" value="${q}"></div>${button(frame.t.filter)}</form>`
    const add = may(frame, 'verification:write') && buttonLink(t.new, `${LIST}/new`, 'main')
    const none = emptyList(frame, { isFiltered, fits: t.emptyFilter, empty: t.empty, way: add })
    const isEmpty = data.length === 0
    return {
      title: t.title,
      main: html`<p class="lead">${t.lead}</p>${(isFiltered || !isEmpty) && filter}${totalLine(frame, meta, t.counted)}${isEmpty ? none : table(t.title, columns, data)}${pager(texts, links, frame.here)}`,
      actions: html`<div class="buttons">${!isEmpty && add}</div>`,
    }
  },
})

function stateOf(isOpen: boolean, { language }: Frame): Html {
  const t = pageTexts[language]
  return isOpen ? badge(t.open, 'ok') : badge(t.closed, 'plain')
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Makes a verification page.',
  show: (frame) => newPage(frame, frame.isKept ? readDraft(frame) : blank, noProblems),
  send: async (frame) => {
    const draft = readDraft(frame)
    if (isSearching(frame, 'template')) return newPage(frame, draft, noProblems)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return newPage(frame, draft, problems)
    try {
      const sent = { body: newBody(draft), headers: onceHeader(frame.fields) }
      return { to: at((await frame.api.call(verificationPages.create, sent)).data) }
    } catch (error) {
      return newPage(frame, draft, refusedDraft(error, draft, frame))
    }
  },
})

async function newPage(frame: Frame, typedDraft: Draft, problems: Problems): Promise<Screen> {
  const t = pageTexts[frame.language]
  const requests = await requestsOf(frame)
  const draft = { ...typedDraft, template: chosenIn(requests, typedDraft.template) }
  const none = html`<div class="empty"><p>${t.noRequests}</p><div class="buttons">${buttonLink(t.makeRequest, '/console/requests')}</div></div>`
  return {
    title: t.new,
    crumbs: [[t.title, LIST], [t.new]],
    main:
      requests.rows.length === 0 && requests.search === ''
        ? none
        : html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${pageForm(frame, `${LIST}/new`, draft, problems, requests)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

type Found = { readonly page: VerificationPage; readonly etag: string; readonly requests: Choices }

async function read(frame: Frame<Params>): Promise<Found> {
  const [{ data, etag }, requests] = await Promise.all([
    frame.api.call(verificationPages.get, { params: { id: frame.params.id } }),
    requestsOf(frame),
  ])
  // One that was archived meanwhile, or that is not among the first hundred, stays chosen.
  const own = { id: data.presentationTemplateId, name: data.templateName }
  const isListed = requests.rows.some(({ id }) => id === own.id)
  const rows = isListed ? requests.rows : [own, ...requests.rows]
  return { page: data, etag: etag ?? '', requests: { ...requests, rows } }
}

const one = formScreen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows a verification page with the lines to copy, and changes it.',
  show: async (frame) => {
    const found = await read(frame)
    return onePage(frame, found, frame.isKept ? readDraft(frame) : draftOf(found.page, found.etag), noProblems)
  },
  send: async (frame) => {
    const found = await read(frame)
    const draft = readDraft(frame)
    if (isSearching(frame, 'template')) return onePage(frame, found, draft, noProblems)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return onePage(frame, found, draft, problems)
    try {
      const sent = { body: bodyOf(draft), ifMatch: draft.etag }
      await frame.api.call(verificationPages.change, { params: { id: frame.params.id }, ...sent })
      return { to: at(frame.params) }
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 412) return conflict(frame, found, draft)
      return onePage(frame, found, draft, refusedDraft(error, draft, frame))
    }
  },
})

function onePage(
  frame: Frame<Params>,
  { page, requests }: Found,
  draft: Draft,
  problems: Problems,
  both?: Html,
): Screen {
  const t = pageTexts[frame.language]
  const canWrite = may(frame, 'verification:write')
  const name = shownText(page.name)
  const actions = html`<div class="buttons">${buttonLink(t.see, new URL(page.pageUri).pathname)}${canWrite && buttonLink(t.remove, `${at(page)}/delete`)}</div>`
  return {
    title: name,
    crumbs: [[t.title, LIST], [name]],
    main: html`${problemList(frame.texts.problems, problems)}${both}<div class="columns">${canWrite && pageForm(frame, at(page), draft, problems, requests)}${useOf(frame, page)}</div>`,
    actions,
    modules: ['copy-text'],
    hasErrors: hasProblems(problems),
  }
}

/** The link, the line of HTML, and the call of the backend. */
function useOf(frame: Frame, { id, pageUri, scriptUri, origins }: VerificationPage): Html {
  const { texts, language } = frame
  const t = pageTexts[language]
  const copied = (text: string) =>
    html`<copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret">${text}</code></copy-text>`
  const line = `<script type="module" src="${scriptUri}"></script><chirograph-verify page="${id}"></chirograph-verify>`
  const call = `curl -H "Authorization: Bearer $TOKEN" "${frame.origin}/creds/presentations/$REQUEST?responseCode=$RESPONSE_CODE"`
  const embedding = origins.length === 0 ? html`<p>${t.noWebsites}</p>` : html`<p>${t.snippetHint}</p>${copied(line)}`
  return html`<section class="panel"><header><h2>${t.use}</h2></header><div class="inside stack"><h3>${t.link}</h3>${copied(pageUri)}<h3>${t.snippet}</h3>${embedding}<h3>${t.backend}</h3><p>${t.backendHint}</p>${copied(call)}</div></section>`
}

/** Both versions: what another person saved, and what was typed here. */
function conflict(frame: Frame<Params>, found: Found, draft: Draft): Screen {
  const t = pageTexts[frame.language]
  const theirs = draftOf(found.page, found.etag)
  const named = {
    name: t.name,
    template: t.asksFor,
    heading: t.heading,
    explanation: t.explanation,
    origins: t.origins,
    visitorSees: t.visitorSees,
    anotherDevice: t.anotherDevice,
    redirectUri: t.redirectUri,
    requestsPerMinute: t.requestsPerMinute,
    requestsPerAddress: t.requestsPerAddress,
    minutes: t.minutes,
    state: t.state,
  } as const
  // Object.keys loses the type of the keys.
  const differing = (Object.keys(named) as (keyof typeof named)[]).filter((name) => theirs[name] !== draft[name])
  const shown = (one: Draft, name: keyof typeof named) => {
    if (name === 'template')
      return foreign(found.requests.rows.find(({ id }) => id === one.template)?.name ?? one.template)
    if (name === 'state') return one.state === 'closed' ? t.closed : t.open
    if (name === 'anotherDevice')
      return Object.entries(t.devices).find(([value]) => value === one.anotherDevice)?.[1] ?? ''
    if (name === 'visitorSees') return one.visitorSees === 'receipt' ? t.sees.receipt : t.sees.verdict
    return foreign(one[name], 500)
  }
  const both = bothVersions(t, at(found.page), {
    name: t.what,
    differing,
    label: (name) => named[name],
    theirs: (name) => shown(theirs, name),
    yours: (name) => shown(draft, name),
  })
  return { ...onePage(frame, found, { ...draft, etag: found.etag }, noProblems, both), status: 412, hasErrors: true }
}

const remove = removeScreen({
  place,
  list: LIST,
  operation: verificationPages.delete,
  texts: pageTexts,
  summary: 'Asks whether to delete a verification page, and does it.',
  nameOf: async (frame) => shownText((await read(frame)).page.name),
})

/** Verification pages. */
export const verificationPageScreens: readonly Endpoint[] = [...list, ...create, ...one, ...remove]
