import type { ApiOperation } from '../../contract/api-operation.ts'
import { oneParam } from '../../contract/call.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { differingVersions } from './differing-versions.ts'
import type { Draft } from './fields.ts'
import { type AnyResource, type WithForm, withForm } from './noun.ts'
import { type Found, type OneFrame, pathOf, readOne, wayTo } from './read-one.ts'
import { shownName } from './shown.ts'

/** Returns the form of a new one. */
export function newScreen(described: AnyResource): readonly Endpoint[] {
  const { place, path, called, noun } = described
  return formScreen({
    place,
    path: `${path}/new`,
    summary: `Adds ${called.one}.`,
    ...fileSpec(described),
    show: async (frame) => {
      const one = await withForm(described, frame, null)
      return newForm(one, frame, frame.isKept ? one.form.read(frame.fields) : one.form.blank, noProblems)
    },
    send: async (frame) => {
      const one = await withForm(described, frame, null)
      const { form: its } = one
      const draft = its.read(frame.fields, undefined, frame.fileOf)
      const step = stepIn(its, frame, draft, true)
      if (step !== null) return 'fragment' in step ? step : newForm(one, frame, step.draft, step.problems)
      try {
        const sent = { body: its.body(draft), headers: onceHeader(frame.fields) }
        const { data, meta } = await frame.api.call<ApiOperation>(noun.create, sent)
        // What the operation promises.
        const [made, about] = [data as never, meta as never]
        const formWith = (general: string) => newForm(one, frame, draft, { fields: {}, general })
        const to = one.hasNoPage || one.isListNext ? path : pathOf(one, made)
        return one.told?.(frame, made, { meta: about, formWith }) ?? { to }
      } catch (error) {
        return newForm(one, frame, draft, its.refused(frame, draft, error, true))
      }
    },
  })
}

/** What a screen of a form may get, where that has files. */
export function fileSpec({ fileBytesMax }: AnyResource): { readonly fileBytesMax?: number } {
  return fileBytesMax === undefined ? {} : { fileBytesMax }
}

/** What is shown of a form that is not saved yet: what it searches, more places, or what is wrong. Null: save it. */
function stepIn(
  its: WithForm['form'],
  frame: Frame,
  draft: Draft,
  isNew: boolean,
): { readonly fragment: Html } | { readonly draft: Draft; readonly problems: Problems } | null {
  const fragment = its.fragment?.(frame, draft) ?? null
  if (fragment !== null) return { fragment }
  if (its.isSearching(frame)) return { draft, problems: noProblems }
  const more = its.more(frame, draft)
  if (more !== null) return { draft: more, problems: noProblems }
  const problems = its.faults(frame, draft, isNew)
  return hasProblems(problems) ? { draft, problems } : null
}

function newForm(one: WithForm, frame: Frame, draft: Draft, problems: Problems): Screen {
  const t = one.texts[frame.language]
  const action = `${one.path}/new`
  const kept = onceField(frame.fields)
  const instead = one.form.instead?.(frame) ?? null
  const own = instead === null ? one.form.page : undefined
  const inside = () => withButtons(frame, one.form.draw(frame, draft, problems, true), one.path, kept)
  const page = own?.(frame, { draft, problems, isNew: true, action, back: one.path, kept }) ?? {
    main: html`<div class="narrow stack">
      ${problemList(frame.texts.problems, problems)}
      ${instead ?? form(frame, action, inside())}
    </div>`,
  }
  return { title: t.new, crumbs: [...wayTo(one, frame), [t.new]], ...page, hasErrors: hasProblems(problems) }
}

/** Fields with the buttons below them. The first button is that of the Enter key, not one that searches. */
function withButtons({ t }: Frame, fields: Html, back: string, kept: Html): Html {
  const buttons = html`${button(t.save, { look: 'main' })}${buttonLink(t.cancel, back)}`
  return html`${kept}<button type="submit" name="do" value="save" hidden>${t.save}</button>${card(fields)}
<div class="buttons">${buttons}</div>`
}

/** A form with which one is changed: what is typed, what is wrong with it, and both versions after a conflict. */
export type Changing = {
  readonly draft: Draft
  readonly etag: string
  readonly problems: Problems
  readonly both?: Html
}

/** Returns the form of one as it is now, or as it was typed before the session ended. */
export function opened({ form: its }: WithForm, frame: Frame, { found, etag }: Found): Changing {
  return frame.isKept
    ? { draft: its.read(frame.fields, its.saved(found)), etag: typed(frame.fields, 'etag'), problems: noProblems }
    : { draft: its.saved(found), etag, problems: noProblems }
}

/** Returns the form that changes one. @param action Where it is sent. @param back Where Cancel leads. */
export function changeForm(
  { form: its }: WithForm,
  frame: Frame,
  { draft, etag, problems }: Changing,
  { action, back }: { readonly action: string; readonly back: string },
): Html {
  const fields = its.draw(frame, draft, problems, false)
  return form(frame, action, withButtons(frame, fields, back, hidden('etag', etag)))
}

/** Saves what was typed. @param draw Draws the screen of the form again. */
export async function sendChange(
  described: AnyResource,
  frame: OneFrame,
  draw: (one: WithForm, frame: OneFrame, found: Found, changing: Changing) => Promise<Screen> | Screen,
): Promise<Screen | { readonly to: string } | { readonly fragment: Html }> {
  const before = await readOne(described, frame)
  const one = await withForm(described, frame, before)
  const { noun, form: its } = one
  const saved = its.saved(before.found)
  const draft = its.read(frame.fields, saved, frame.fileOf)
  const etag = typed(frame.fields, 'etag')
  const step = stepIn(its, frame, draft, false)
  if (step !== null) return 'fragment' in step ? step : draw(one, frame, before, { etag, ...step })
  const operation = noun.change ?? noun.replace
  if (operation === undefined) throw new Error('this cannot be changed')
  const body = (noun.change !== undefined && its.changes?.(draft, saved)) || its.body(draft)
  try {
    if (Object.keys(body ?? {}).length > 0) {
      const sent = { body, ...(etag !== '' && { ifMatch: etag }) }
      await frame.api.call<ApiOperation>(operation, { params: oneParam(operation, frame.params.id), ...sent })
    }
    return { to: one.isListNext ? one.path : pathOf(one, before.found) }
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 412)
      return draw(one, frame, before, { draft, etag, problems: its.refused(frame, draft, error, false) })
    const now = await readOne(one, frame)
    const later = await withForm(described, frame, now)
    const both = bothOf(later, frame, now, draft)
    const page = await draw(later, frame, now, { draft, etag: now.etag, problems: its.again(frame, draft), both })
    return { ...page, status: 412, hasErrors: true }
  }
}

/** Both versions: what another person saved, and what was typed here. */
function bothOf(one: WithForm, frame: Frame, { found }: Found, draft: Draft): Html {
  const saved = pathOf(one, found, one.isFormApart ? 'change' : undefined)
  return differingVersions(frame, one.form, { found, draft, saved, title: one.texts[frame.language].changedTitle })
}

/** Returns the form of one on a screen of its own. */
export function changeScreen(described: AnyResource): readonly Endpoint[] {
  const { place, path, called } = described
  return formScreen({
    place,
    path: `${path}/{id}/change` as '/console/{id}/change',
    ...fileSpec(described),
    summary: `Changes ${called.one}.`,
    show: async (frame) => {
      const found = await readOne(described, frame)
      const one = await withForm(described, frame, found)
      return changePage(one, frame, found, opened(one, frame, found))
    },
    send: (frame) => sendChange(described, frame, changePage),
  })
}

function changePage(one: WithForm, frame: Frame, { found }: Found, changing: Changing): Screen {
  const name = shownName(one, found, frame)
  const back = pathOf(one, found)
  const shown = changeForm(one, frame, changing, { action: pathOf(one, found, 'change'), back })
  return {
    title: `${frame.t.change}${frame.t.colon}${name}`,
    crumbs: [...wayTo(one, frame), [name, back], [frame.t.change]],
    main: html`<div class="narrow stack">
      ${problemList(frame.texts.problems, changing.problems)}
      ${changing.both}
      ${shown}
    </div>`,
    hasErrors: hasProblems(changing.problems),
  }
}
