import { allLanguages, type Language, languages } from '../contract/languages.ts'
import { asset, type BrowserModule, type Surface } from './assets.ts'
import { Html, html } from './html.ts'
import { pageTexts } from './messages/page-texts.ts'

/** The content of a page. */
export type Page = {
  /** The heading, and the title of the document. */
  readonly title: string
  readonly main: Html
  /** Name of the organisation that the page belongs to. */
  readonly organisation?: string | undefined
  /** The language, where it differs from that of the browser; and those to choose from: by default all. */
  readonly language?: Language
  readonly languages?: readonly Language[] | undefined
  /** Before the name of the organisation. */
  readonly logo?: Html | null
  /** Above the choice of languages: where the organisation explains itself. */
  readonly note?: Html | null
  /** Whether a form was refused: said in the title, so that a screen reader says it first. */
  readonly hasErrors?: boolean
  readonly modules?: readonly BrowserModule[]
  /** A wider column, for lists. */
  readonly isWide?: boolean
  /** What surrounds the content instead of the plain header. */
  readonly shell?: Shell
  /** Without script the page is loaded again after this time. */
  readonly reloadSeconds?: number | undefined
  /** CSS rules with values that were checked, e.g. colours of an organisation. */
  readonly style?: string
}

/** The surroundings of a page with a menu. */
export type Shell = {
  readonly surface: Surface
  readonly header: Html
  readonly menu: Html
  /** What makes the pages an installed app. `colour`: `#rrggbb`. */
  readonly app?: { readonly manifest: string; readonly colour: string }
  /** Between the header and the content, above the heading: the way back. */
  readonly above?: Html | null
  /** Beside the heading: what can be done here. */
  readonly beside?: Html | null
}

/** What surrounds the content. */
type DocumentFrame = {
  readonly language: Language
  readonly nonce: string
  /** Path and query of the page: the choice of language leads back to it. */
  readonly here: string
}

const mark = html`<svg class="mark" viewBox="0 0 32 20" width="32" height="20" aria-hidden="true">
  <path d="M2 6q3.5-7 7 0t7 0 7 0 7 0"/>
  <path d="M2 14q3.5-7 7 0t7 0 7 0 7 0"/>
</svg>`

/** Returns the complete document as text. */
export function document(page: Page, { language: preferred, nonce, here }: DocumentFrame): string {
  const language = page.language ?? preferred
  const app = page.shell?.app
  const choice = choices(page.languages, language, here)
  const texts = pageTexts[language]
  const title = `${page.hasErrors ? texts.errorInTitle(page.title) : page.title} · ${page.organisation ?? 'Chirograph'}`
  const reload =
    page.reloadSeconds !== undefined &&
    html`<noscript><meta http-equiv="refresh" content="${page.reloadSeconds}"></noscript>`
  const installable =
    app !== undefined &&
    html`<link rel="manifest" href="${app.manifest}"><meta name="theme-color" content="${app.colour}">`
  const heading = documentHead({
    title,
    sheet: `${page.shell?.surface ?? 'pages'}.css`,
    modules: page.modules ?? [],
    style: page.style,
    nonce,
    more: html`${reload}${installable}`,
  })
  return html`<!doctype html>
  <html lang="${language}">
    ${heading}
    <body${page.shell !== undefined && html` class="${page.shell.surface}"`}>
      <a class="skip" href="#main">${texts.skip}</a>
      ${page.shell === undefined ? plain(page) : shelled(page, page.shell)}
      <footer>
        ${page.note}
        ${choice.length > 1 && html`<nav class="bar" aria-label="${texts.languages}">${choice}</nav>`}
      </footer>
    </body>
  </html>
`.text
}

/** `sheet`: the style sheet that the page has. `style`: CSS rules of its own, with values that were checked. */
type Head = {
  readonly title: string
  readonly sheet: Parameters<typeof asset>[0]
  readonly modules: readonly BrowserModule[]
  readonly style: string | undefined
  readonly nonce: string
  /** Further elements. */
  readonly more?: Html
}

/** Returns the head of a document. @throws Error for a style with `<`, which cannot be escaped there */
export function documentHead({ title, sheet, modules, style = '', nonce, more }: Head): Html {
  if (style.includes('<')) throw new Error('a style must not contain <')
  const own = style !== '' && html`<style nonce="${nonce}">${new Html(style)}</style>`
  const scripts = modules.map((name) => html`<script type="module" src="${asset(`${name}.js`).path}"></script>`)
  return html`<head>
    <meta charset="utf-8">
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="same-origin">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${asset(sheet).path}">
    ${scripts}${more}${own}
  </head>`
}

function plain(page: Page): Html {
  return html`<header><div class="bar">${mark}${page.logo}<b>${page.organisation ?? 'Chirograph'}</b></div></header>
  <main id="main"${page.isWide === true && html` class="wide"`}>
    <h1>${page.title}</h1>
    ${page.main}
  </main>`
}

function shelled(page: Page, { header, menu, above, beside }: Shell): Html {
  return html`<header>${mark}${page.logo}${header}</header>
  ${menu}
  <main id="main">
    ${above}<div class="heading"><h1>${page.title}</h1>${beside}</div>
    ${page.main}
  </main>`
}

function choices(offered: Page['languages'], language: Language, here: string): readonly Html[] {
  const codes = offered ?? allLanguages
  return codes.map((code) => {
    const name = languages[code]
    return code === language
      ? html`<span lang="${code}" aria-current="true">${name}</span>`
      : html`<a href="${inLanguage(here, code)}" lang="${code}" hreflang="${code}">${name}</a>`
  })
}

function inLanguage(here: string, code: string): string {
  const [path = '', query = ''] = here.split('?', 2)
  const members = new URLSearchParams(query)
  members.set('lang', code)
  return `${path}?${members}`
}
