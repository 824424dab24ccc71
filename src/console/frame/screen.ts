import { type Role, roles, type Scope } from '../../caller.ts'
import type { ApiOperation, PathParams } from '../../contract/api-operation.ts'
import type { CallOf } from '../../contract/call.ts'
import { CSV } from '../../contract/media-types.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import type { BrowserModule } from '../../pages/assets.ts'
import type { Page } from '../../pages/document.ts'
import { type Html, html } from '../../pages/html.ts'
import { accentStyle } from '../../pages/look/accent.ts'
import type { ApiRefusal, LooseCall } from '../../pages/own-api.ts'
import { buttonLink, message } from '../../pages/parts.ts'
import type { SignedInAnswer } from '../../pages/session/signed-in-answer.ts'
import { keptNote, type SignedInContext, signedInEndpoint } from '../../pages/session/signed-in-endpoint.ts'
import { csvStream } from './csv-file.ts'
import { forDevelopers } from './developers.ts'
import { ruleWords } from './form-values.ts'
import { type Crumb, type MenuPlace, shellOf } from './shell.ts'
import { type ConsoleTexts, consoleTexts } from './texts.ts'

/** A request at a screen of the console. `t` has the texts that all screens share. */
export type Frame<Params = Readonly<Record<string, string>>> = Omit<SignedInContext<Params>, 'own'> & {
  readonly t: ConsoleTexts
}
/** A request at a screen that keeps something itself; all others reach the organisation through the API only. */
export type KeepingFrame<Params = Readonly<Record<string, string>>> = Frame<Params> & Pick<SignedInContext, 'own'>

/** The content of a screen. */
export type Screen = {
  readonly title: string
  readonly main: Html
  readonly crumbs?: readonly Crumb[]
  /** Beside the heading: links and buttons. */
  readonly actions?: Html | undefined
  readonly modules?: readonly BrowserModule[]
  readonly style?: string
  readonly reloadSeconds?: number | undefined
  /** A list without rows: there is nothing to download. */
  readonly isEmpty?: boolean
  /** The list that is shown, where `download` would have to ask for it again. */
  readonly listed?: Download
  /** A form was refused: said in the title; 400 unless `status` says otherwise. */
  readonly hasErrors?: boolean
  readonly status?: number
}

/** What a screen answers. */
export type Answer = Screen | Exclude<SignedInAnswer, { readonly page: Page }>

type Spec<P extends string> = {
  /** The entry of the menu that is marked. */
  readonly place: MenuPlace
  readonly path: P
  /** One sentence, in English. */
  readonly summary: string
}

/** The form may have a file: largest body in bytes, and the scope without which it is not read. */
type FileSpec = { readonly fileBytesMax?: number; readonly scope?: Scope }

/** A list of the API that a screen shows, and the filters that are chosen. Made by {@link listOf}. */
type Download = { readonly operation: ApiOperation; readonly asked: LooseCall }

/** Returns the list of the API that a screen shows. */
export function listOf<O extends ApiOperation>(operation: O, ...[asked]: CallOf<O>): Download {
  return { operation, asked: asked ?? {} }
}

type Show<P extends string> = (frame: Frame<PathParams<P>>) => Promise<Answer> | Answer
type KeepingShow<P extends string> = (frame: KeepingFrame<PathParams<P>>) => Promise<Answer> | Answer

type Shown<P extends string> = {
  readonly show: Show<P>
  /** The list that the screen shows; it can be downloaded as CSV under the address of the screen. */
  readonly download?: (frame: Frame<PathParams<P>>) => Download | Promise<Download>
}

/** Declares a screen that only shows. */
export function screen<const P extends string>(spec: Spec<P> & Shown<P>): readonly Endpoint[] {
  return [declare('GET', spec, withDownload(spec))]
}

/** What a GET shows: the list as a file where that is asked for, else the screen with a link to it. */
function withDownload<const P extends string>({ path, show, download }: Spec<P> & Shown<P>): Show<P> {
  if (download === undefined) return show
  return async (frame) => {
    if (frame.query.download === 'csv') return csvOf(frame, path, await download(frame))
    const shown = await show(frame)
    if (!('main' in shown) || shown.isEmpty === true) return shown
    return withList(frame, shown, shown.listed ?? (await download(frame)))
  }
}

/** The list as a file, and as a call of the API. */
function withList(frame: Frame, shown: Screen, { operation, asked }: Download): Screen {
  const main = html`${shown.main}${downloadLink(frame)}${forDevelopers(frame, operation, asked)}`
  return { ...shown, main, modules: [...new Set([...(shown.modules ?? []), 'copy-text' as const])] }
}

async function csvOf({ api }: Frame, path: string, { operation, asked }: Download): Promise<Answer> {
  return csvStream(path.split('/').at(-1) ?? 'list', await api.stream(operation, CSV, asked))
}

function downloadLink({ here, t }: Frame): Html {
  const [path = '', query = ''] = here.split('?', 2)
  const members = new URLSearchParams(query)
  for (const name of ['after', 'before', 'lang']) members.delete(name)
  members.set('download', 'csv')
  return html`<p class="download"><a href="${path}?${String(members)}">${t.download}</a></p>`
}

/**
 * Declares a screen with a form that posts to the address of the screen. `show` fills the form with the fields of the
 * frame: those of a form that was refused, or that the person could not send before the session ended.
 */
export function formScreen<const P extends string>(
  spec: Spec<P> & FileSpec & Shown<P> & { readonly send: Show<P> },
): readonly Endpoint[] {
  return [declare('GET', spec, withDownload(spec)), declare('POST', spec, spec.send)]
}

/** As {@link screen}, for one that keeps something itself. */
export function keepingScreen<const P extends string>(
  spec: Spec<P> & { readonly show: KeepingShow<P> },
): readonly Endpoint[] {
  return [declareKeeping('GET', spec, spec.show)]
}

/** As {@link formScreen}, for one that keeps something itself. */
export function keepingFormScreen<const P extends string>(
  spec: Spec<P> & FileSpec & { readonly show: KeepingShow<P>; readonly send: KeepingShow<P> },
): readonly Endpoint[] {
  return [declareKeeping('GET', spec, spec.show), declareKeeping('POST', spec, spec.send)]
}

function declare<P extends string>(method: 'GET' | 'POST', spec: Spec<P> & FileSpec, handle: Show<P>): Endpoint {
  return declareKeeping(method, spec, ({ own: _, ...frame }) => handle(frame))
}

function declareKeeping<P extends string>(
  method: 'GET' | 'POST',
  { place, path, summary, ...more }: Spec<P> & FileSpec,
  handle: KeepingShow<P>,
): Endpoint {
  return signedInEndpoint({
    method,
    path,
    summary,
    ...(more.fileBytesMax !== undefined && { takesFile: true, bodyBytesMax: more.fileBytesMax }),
    ...(more.scope !== undefined && { scope: more.scope }),
    handle: async (context) => {
      const frame = { ...context, t: consoleTexts[context.language] }
      const answer = await handle(frame)
      if (!('main' in answer)) return answer
      const status = answer.status ?? (answer.hasErrors === true ? 400 : 200)
      const main = html`${missingNote(frame)}${answer.main}`
      return { page: pageOf(frame, place, { ...answer, main }), status }
    },
    refused: (context, refusal) => {
      const frame = { ...context, t: consoleTexts[context.language] }
      return pageOf(frame, place, refusedScreen(frame, refusal))
    },
  })
}

function pageOf(
  frame: Frame,
  place: MenuPlace,
  { main, crumbs, actions, style = '', isEmpty: _, listed: __, ...page }: Screen,
): Page {
  const shell = shellOf(frame, place, { ...(crumbs !== undefined && { crumbs }), actions })
  const accented = accentStyle(frame.me.organisation.accentColor) + style
  return {
    ...page,
    ...(accented !== '' && { style: accented }),
    main: html`${keptNote(frame, frame.t.kept)}${main}`,
    shell,
    organisation: frame.me.organisation.name,
  }
}

/**
 * That the page is incomplete, and the way to the whole page. A form that was sent has none: what was typed would be
 * lost.
 */
function missingNote({ t, texts, here, fields, missingId }: Frame): Html | null {
  const id = missingId()
  if (id === null) return null
  const again = fields.size === 0 && html`<div class="buttons">${buttonLink(texts.tryAgain, here)}</div>`
  return message('warn', t.missing, html`${again}<p class="hint">${texts.errorId} <code>${id}</code></p>`)
}

/** What happened, what to do, and the id for those who help. */
function refusedScreen(frame: Frame, refusal: ApiRefusal): Screen {
  const { t, texts } = frame
  const said = stateWords(refusal, t)
  const known = Object.keys(t.refused).map(Number)
  const isKnown = said === null && known.includes(refusal.status)
  const status = isKnown ? refusal.status : refusal.status < 500 ? 400 : 500
  // One of the keys of the table.
  const [title, advice] = t.refused[`${status}` as keyof ConsoleTexts['refused']]
  const details =
    status < 500 && said === null ? refusal.errors.map(({ detail }) => html`<li lang="en">${detail}</li>`) : []
  const text =
    status === 403
      ? `${advice}${rolesWith(refusal.errors[0]?.requiredScope ?? null, texts)}. ${t.askOwner}`
      : (said ?? advice)
  const retry = said === null && status !== 403 && status !== 404 && buttonLink(texts.tryAgain, frame.here)
  const id = html`<copy-text label="${texts.copy}" done="${texts.copied}"><code>${refusal.id}</code></copy-text>`
  const main = html`${message('bad', text)}
  ${details.length > 0 && html`<details><summary>${t.failed}</summary><ul class="list">${details}</ul></details>`}
  <p class="buttons narrow">${retry}${buttonLink(t.menu.home, '/console')}</p>
  <p class="hint">${texts.errorId} ${id}</p>
  ${helpLink(frame)}`
  return { title, main, hasErrors: true, modules: ['copy-text'] }
}

/** Why a state allows no such call, in words; null where that is not said by rules. */
function stateWords({ status, errors }: ApiRefusal, t: ConsoleTexts): string | null {
  if (status !== 409) return null
  const words = errors.map(({ rule, limit = '' }) => ruleWords(t, rule, limit))
  return words.length === 0 || words.includes(null) ? null : [...new Set(words)].join(' ')
}

/** Where people of the organisation get help; nothing if it does not say. */
function helpLink({ me, t }: Frame): Html | null {
  const { supportAddress } = me.organisation
  if (supportAddress === null) return null
  const href = supportAddress.startsWith('https://') ? supportAddress : `mailto:${supportAddress}`
  return html`<p class="hint">${t.help} <a href="${href}">${supportAddress}</a></p>`
}

function rolesWith(scope: string | null, texts: Frame['texts']): string {
  const names = Object.keys(roles) as Role[]
  const giving = names.filter((one) => {
    const given: readonly Scope[] = roles[one].scopes
    return given.some((each) => each === scope || each === 'tenant:admin')
  })
  return giving.map((one) => texts.roles[one]).join(', ')
}
