import type { ApiOperation, PathParams } from '../../contract/api-operation.ts'
import type { CallOf } from '../../contract/call.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import type { BrowserModule } from '../../pages/assets.ts'
import type { Page } from '../../pages/document.ts'
import { type Html, html } from '../../pages/html.ts'
import { accentStyle } from '../../pages/look/accent.ts'
import { logoImage, logoPathOf, organisationNote } from '../../pages/look/organisation.ts'
import type { ApiRefusal, OwnApi } from '../../pages/own-api.ts'
import { buttonLink, outcome } from '../../pages/parts.ts'
import type { SignedInAnswer } from '../../pages/session/signed-in-answer.ts'
import {
  keptNote,
  type SignedInContext,
  signedInEndpoint,
  type TenantHint,
} from '../../pages/session/signed-in-endpoint.ts'
import { type MenuPlace, shellOf } from './shell.ts'
import { type HolderTexts, holderTexts } from './texts.ts'

/** A request at a page of the holder. `t` has the texts that all pages share. */
export type Frame<Params = Readonly<Record<string, string>>> = SignedInContext<Params> & { readonly t: HolderTexts }

/** The content of a page. */
export type Screen = {
  readonly title: string
  readonly main: Html
  readonly modules?: readonly BrowserModule[]
  readonly style?: string | undefined
  /** Something was refused: said in the title; 400 unless `status` says otherwise. */
  readonly hasErrors?: boolean
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

type Answer = Screen | Exclude<SignedInAnswer, { readonly page: Page }>
type Spec<P extends string> = {
  /** The entry of the menu that is marked. */
  readonly place: MenuPlace | null
  readonly path: P
  /** One sentence, in English. */
  readonly summary: string
  readonly bodyBytesMax?: number
  readonly tenantHint?: TenantHint
}
type Show<P extends string> = (frame: Frame<PathParams<P>>) => Promise<Answer> | Answer

/** Declares a page that only shows. */
export function screen<const P extends string>(spec: Spec<P> & { readonly show: Show<P> }): readonly Endpoint[] {
  return [declare('GET', spec, spec.show)]
}

/** Declares a page with a form that posts to its own address. `show` fills the form from the fields of the frame. */
export function formScreen<const P extends string>(
  spec: Spec<P> & { readonly show: Show<P>; readonly send: Show<P> },
): readonly Endpoint[] {
  return [declare('GET', spec, spec.show), declare('POST', spec, spec.send)]
}

function declare<P extends string>(
  method: 'GET' | 'POST',
  { place, path, summary, bodyBytesMax, tenantHint }: Spec<P>,
  handle: Show<P>,
): Endpoint {
  return signedInEndpoint({
    method,
    path,
    summary,
    ...(bodyBytesMax !== undefined && { bodyBytesMax }),
    ...(tenantHint !== undefined && { tenantHint }),
    hasOwnLanguages: true,
    handle: async (context) => {
      const frame = { ...context, t: holderTexts[context.language], api: inLanguage(context.api, context.language) }
      const answer = await handle(frame)
      if (!('main' in answer)) return answer
      const { status = answer.hasErrors === true ? 400 : 200, headers = {} } = answer
      return { page: pageOf(frame, place, answer), status, headers }
    },
    refused: (context, refusal) => {
      const frame = { ...context, t: holderTexts[context.language] }
      return pageOf(frame, place, refusedScreen(frame, refusal))
    },
  })
}

/** The API answers with names and labels in the language of the page. */
function inLanguage(api: OwnApi, language: string): OwnApi {
  const own = { 'accept-language': language }
  return {
    ...api,
    call: <O extends ApiOperation>(operation: O, ...[asked]: CallOf<O>) => {
      // What was asked, and a header.
      const inOwn = [{ ...asked, headers: { ...own, ...asked?.headers } }] as unknown as CallOf<O>
      return api.call(operation, ...inOwn)
    },
  }
}

function pageOf(
  frame: Frame,
  place: MenuPlace | null,
  { main, title, hasErrors, style = '', modules = [] }: Screen,
): Page {
  const { organisation } = frame.me
  const { slug, logoUri = null } = organisation
  const logoPath = logoPathOf({ slug, logoUri }, { publicUrl: frame.origin })
  const accented = accentStyle(organisation.accentColor) + style
  return {
    title,
    main: html`${keptNote(frame, frame.t.kept)}${main}`,
    ...(hasErrors === true && { hasErrors }),
    ...(accented !== '' && { style: accented }),
    languages: organisation.languages,
    logo: logoPath === null ? null : logoImage(logoPath),
    note: organisationNote(organisation, frame.texts),
    modules: [...modules, 'install-app'],
    shell: shellOf(frame, place),
    organisation: organisation.name,
  }
}

/** What happened, what to do, and the id for those who help. */
function refusedScreen({ t, texts, here }: Frame, { status, errors, id }: ApiRefusal): Screen {
  const known = Object.keys(t.refused).map(Number)
  const kind = known.includes(status) ? status : status === 412 ? 409 : status < 500 ? 400 : 500
  // One of the keys of the table.
  const [title, advice] = t.refused[`${kind}` as keyof HolderTexts['refused']]
  const main = html`${outcome('bad', advice)}
  <p class="buttons">${kind !== 404 && kind !== 403 && buttonLink(texts.tryAgain, here)}${buttonLink(t.back, '/me')}</p>
  ${reasons(t, errors)}
  <p class="hint">
    ${texts.errorId} <copy-text label="${texts.copy}" done="${texts.copied}"><code>${id}</code></copy-text>
  </p>`
  return { title, main, hasErrors: true, modules: ['copy-text'] }
}

/** The server's own words, in English, folded away. */
export function reasons(t: HolderTexts, errors: ApiRefusal['errors']): Html | null {
  const details = errors.flatMap(({ detail, title }) => detail || title || [])
  if (details.length === 0) return null
  const list = details.map((one) => html`<li lang="en">${one}</li>`)
  return html`<details><summary>${t.more}</summary><ul class="list">${list}</ul></details>`
}
