import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { allOf, type Choices, isSearching } from '../frame/chooser.ts'
import { findingsOf, noProblems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { designedPage, differingIn, isRedrawn, pressedIn } from '../resource/designed-page.ts'
import { type FormOf, ownForm } from '../resource/form.ts'
import type { Template } from '../templates/content/template.ts'
import { blankCredential } from './asked-credential.ts'
import { requestCards } from './designer.ts'
import { blankRequest, draftOfRequest, edited, type RequestDraft, readRequestDraft, requestBody } from './draft.ts'
import { isSearchingEntities, readEntities, withChosen } from './entity-choices.ts'
import { requestFields } from './fields.ts'
import { requestFaults, requestPlaceOf } from './findings.ts'
import { pickCredential } from './pick-credential.ts'
import { previewOf } from './preview.ts'
import type { RequestMeta, RequestTemplate } from './request.ts'
import { requestSaid } from './said.ts'
import { findSource, type RequestSources, readRequestSources, withTypes } from './sources.ts'
import { requestTexts } from './texts.ts'

/** A request as it is saved. */
type Saved = { readonly found: RequestTemplate; readonly meta: RequestMeta }

/** What is being edited, and what it is made from. */
type Subject = {
  /** Null: something new. */
  readonly saved: Saved | null
  /** Something new begins with it. */
  readonly start?: RequestDraft
  readonly sources: RequestSources
  readonly entities: Choices
  /** Own templates, those of the types that are asked for among them. */
  readonly templates: readonly Template[]
  /** In place of the form, as long as nothing is asked for. */
  readonly pick?: Html
}

/** Returns the form of a request, which is its page. */
export function requestFormWith(subject: Subject): FormOf<RequestDraft> {
  const { saved, start = blankRequest, sources, templates, pick = null } = subject
  const draw: FormOf<RequestDraft>['draw'] = (frame, draft, problems) => requestCards(frame, draft, problems, subject)
  const isSent = (frame: Pick<Frame, 'fields'>) => ['save', 'find'].includes(pressedIn(frame))
  return {
    blank: start,
    saved: () => (saved === null ? start : draftOfRequest(saved.found, saved.meta, templates)),
    read: (fields) => readRequestDraft(fields),
    draw,
    body: (draft) => requestBody(draft, saved?.meta ?? null),
    more: (frame, draft) => {
      if (isSent(frame)) return null
      if (pressedIn(frame) === 'more') return withMore(draft, sources, typed(frame.fields, 'more'))
      return edited(draft, pressedIn(frame)) ?? draft
    },
    again: () => noProblems,
    faults: requestFaults,
    refused: (frame, draft, error) => findingsOf(frame, error, (pointer) => requestPlaceOf(frame, pointer, draft)),
    differing: (frame, theirs, yours) => [
      ...requestFields.differing(frame, theirs.plain, yours.plain),
      ...differingIn(requestSaid(frame, theirs), requestSaid(frame, yours)),
    ],
    isSearching: (frame) => isSent(frame) && (isSearching(frame, 'more') || isSearchingEntities(frame)),
    instead: () => pick,
    page: (frame, { draft, ...shown }) => {
      const t = requestTexts[frame.language]
      return designedPage(frame, shown, {
        cards: draw(frame, draft, shown.problems, saved === null),
        target: 'preview',
        redraw: t.redraw,
        aside: html`<aside class="stack" aria-label="${t.preview}">
          <p class="hint">${t.preview}</p>
          <div id="preview">${previewOf(frame, draft)}</div>
        </aside>`,
      })
    },
    fragment: (frame, draft) => (isRedrawn(frame) ? previewOf(frame, draft) : null),
  }
}

function withMore(draft: RequestDraft, { own, others }: RequestSources, chosen: string): RequestDraft {
  const found = [...own.rows, ...others.rows].find(({ id }) => id === chosen)
  const added = chosen === 'hand' ? blankCredential : found?.credential
  return added === undefined ? draft : { ...draft, credentials: [...draft.credentials, added] }
}

/** Reads what the form of a request needs. */
export async function requestForm(frame: Frame, found: RequestTemplate | null, meta: RequestMeta | null) {
  const saved = found === null || meta === null ? null : { found, meta }
  return ownForm(requestFormWith(await subjectOf(frame, saved)))
}

async function subjectOf(frame: Frame, saved: Saved | null): Promise<Subject> {
  if (isRedrawn(frame)) {
    const none = allOf([])
    return { saved, sources: { own: none, others: none, templates: none }, entities: none, templates: [] }
  }
  const isTyped = frame.isKept || pressedIn(frame) !== ''
  const start = saved === null && !isTyped ? await startOf(frame) : blankRequest
  if (start === null) {
    const sources = await readRequestSources(frame, true)
    return { saved, sources, entities: allOf([]), templates: [], pick: pickCredential(frame, sources) }
  }
  const [sources, entities] = await Promise.all([readRequestSources(frame, false), readEntities(frame)])
  const templates = saved === null ? [] : await ownTemplates(frame, saved.found, sources.templates)
  const now = isTyped
    ? readRequestDraft(frame.fields)
    : saved === null
      ? start
      : draftOfRequest(saved.found, saved.meta, [])
  const chosen = now.credentials.flatMap((one) => one.entities)
  return { saved, start, sources, templates, entities: await withChosen(frame, entities, chosen) }
}

/** What something new begins with, as its address says. Null: that is to be chosen first. */
async function startOf(frame: Frame): Promise<RequestDraft | null> {
  const { template = '', type, format } = frame.query
  const ofType = (one: string) => ({ ...blankCredential, type: one, ...(format === 'mdoc' && ({ format } as const)) })
  const credential = type === undefined ? (await findSource(frame, template))?.credential : ofType(type)
  return credential === undefined
    ? null
    : { ...blankRequest, plain: { ...blankRequest.plain, name: [credential.name] }, credentials: [credential] }
}

function ownTemplates(frame: Frame, { credentials }: RequestTemplate, templates: Choices<Template>) {
  return withTypes(
    frame,
    templates,
    credentials.map(({ type }) => type),
  )
}

/** Returns a request for those who may not change it: as the person sees it. */
export async function shownRequest(found: RequestTemplate, frame: Frame, meta: RequestMeta) {
  const { templates } = await readRequestSources(frame, false)
  const draft = draftOfRequest(found, meta, await ownTemplates(frame, found, templates))
  return { main: html`<div class="narrow">${previewOf(frame, draft)}</div>` }
}
