import type { ApiOperation } from '../../contract/api-operation.ts'
import { oneParam } from '../../contract/call.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink, facts } from '../../pages/parts.ts'
import { hasProblems, problemList } from '../frame/form-values.ts'
import { type Frame, formScreen, listOf, type Screen, screen } from '../frame/screen.ts'
import { countedPageOf } from '../frame/total.ts'
import { type Changing, changeForm, fileSpec, opened, sendChange } from './form-screens.ts'
import { mayWrite } from './list-screen.ts'
import { type AnyResource, type Page, type WithForm, withForm } from './noun.ts'
import { type Found, type OneFrame, pathOf, readOne, wayTo } from './read-one.ts'
import { shownIn, shownName, textOf } from './shown.ts'

/** Returns the page of one: what is known of it, the list below it, and the form, where that is not apart. */
export function pageScreen(one: AnyResource): readonly Endpoint[] {
  const { place, path, called, below } = one
  const spec = {
    place,
    path: `${path}/{id}` as '/console/{id}',
    ...fileSpec(one),
    ...(below !== undefined && {
      download: (frame: OneFrame) => listOf<ApiOperation>(below.operation, askedBelow(below, frame)),
    }),
  }
  const show = async (frame: OneFrame) => {
    const found = await readOne(one, frame)
    if (one.fixed !== undefined && !isChangedHere(one, frame, found)) return fixedPage(one, frame, found)
    const ready = await withForm(one, frame, found)
    return pageOf(ready, frame, found, opened(ready, frame, found))
  }
  if (one.isFormApart || !hasChange(one)) return screen({ ...spec, summary: `Shows ${called.one}.`, show })
  const send = (frame: OneFrame) => sendChange(one, frame, pageOf)
  return formScreen({ ...spec, summary: `Shows ${called.one}, and changes it.`, show, send })
}

type Below = NonNullable<AnyResource['below']>

function askedBelow({ operation, query }: Below, frame: OneFrame) {
  return { params: oneParam(operation, frame.params.id), query: query?.(frame.query) ?? {} }
}

async function readBelow(below: Below, frame: OneFrame): Promise<Page<never> | null> {
  const asked = askedBelow(below, frame)
  const counted = { ...asked, query: { ...asked.query, ...countedPageOf(frame.query) } }
  // The serializer of the list wrote the rows.
  return frame.orMissing(frame.api.call<ApiOperation>(below.operation, counted)) as Promise<Page<never> | null>
}

/** The page of one that is not changed there. */
async function fixedPage(one: AnyResource, frame: OneFrame, now: Found): Promise<Screen> {
  return { ...named(one, frame, now), main: html``, ...(await one.fixed?.(now.found, frame, now.meta)) }
}

/** What a page of one has around its content. */
function named(one: AnyResource, frame: OneFrame, { found }: Found): Pick<Screen, 'title' | 'crumbs' | 'actions'> {
  const name = shownName(one, found, frame)
  const actions = mayWrite(frame, one) ? actionsOf(one, frame, found) : undefined
  return { title: name, crumbs: [...wayTo(one, frame), [name]], actions }
}

async function pageOf(one: WithForm, frame: OneFrame, now: Found, changing: Changing): Promise<Screen> {
  const { found, meta } = now
  const { draft, problems, both, etag } = changing
  const way = { action: pathOf(one, found), back: one.path }
  const kept = hidden('etag', etag)
  const own = one.form.page?.(frame, { draft, problems, both, kept, isNew: false, ...way })
  if (own !== undefined) return { ...named(one, frame, now), ...own, hasErrors: hasProblems(problems) }
  const page = one.below === undefined ? null : await readBelow(one.below, frame)
  const known = shownIn(one, frame, one.facts).flatMap(({ heading, cell }) => {
    const value = cell(found)
    return value === null ? [] : [[heading, value] as const]
  })
  const more = (one.panels ?? []).map((panel) => html`${panel(found, frame, meta)}`)
  const panels = html`${one.notice?.(found, frame)}
  <section class="panel">${facts(known)}</section>
  ${more}
  ${page !== null && one.below?.show(frame, found, page)}`
  const main = isChangedHere(one, frame, now)
    ? html`<div class="columns"><div class="stack">${panels}</div>${changeForm(one, frame, changing, way)}</div>`
    : html`<div class="${one.below === undefined ? 'narrow stack' : 'stack'}">${panels}</div>`
  return {
    ...named(one, frame, now),
    main: html`${problemList(frame.texts.problems, problems)}${both}${main}`,
    hasErrors: hasProblems(problems),
    isEmpty: page === null || page.data.length === 0,
    modules: ['copy-text'],
  }
}

function hasChange({ noun }: AnyResource): boolean {
  return noun.change !== undefined || noun.replace !== undefined
}

/** Whether this person can change one, on its own page. */
function isChangedHere(one: AnyResource, frame: Frame, { found }: Found): boolean {
  return mayWrite(frame, one) && hasChange(one) && one.isFormApart !== true && one.isChanging?.(found) !== false
}

function actionsOf(one: AnyResource, frame: Frame, found: never): Html {
  const change = one.isFormApart === true && buttonLink(frame.t.change, pathOf(one, found, 'change'))
  const verb = one.noun.delete !== undefined ? 'delete' : one.noun.archive !== undefined && 'archive'
  const isThere = verb !== false && one.isChanging?.(found) !== false
  const remove = isThere && buttonLink(textOf(one, frame, 'remove'), pathOf(one, found, verb))
  return html`<div class="buttons">${change}${one.actions?.(found, frame)}${remove}</div>`
}
