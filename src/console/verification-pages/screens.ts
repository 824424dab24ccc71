import { verificationPages } from '../../contract/verification/verification-pages.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { copied } from '../frame/copied.ts'
import type { Frame } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { resource } from '../resource/resource.ts'
import { pageForm, type ShownVerificationPage } from './form.ts'
import { verificationPageTexts } from './texts.ts'

const shown = {
  presentationTemplateId: ({ templateName }: ShownVerificationPage) => foreign(templateName),
  isOpen: stateOf,
  websites: ({ origins }: ShownVerificationPage, { t }: Frame) => origins.join(', ') || t.none,
  changed: ({ updatedAt }: ShownVerificationPage, frame: Frame) => when(frame, updatedAt),
}

/** Verification pages. */
export const verificationPageScreens: readonly Endpoint[] = resource({
  noun: verificationPages,
  place: 'verificationPages',
  path: '/console/verification-pages',
  texts: verificationPageTexts,
  called: { one: 'a verification page', many: 'the verification pages' },
  name: { label: 'name', of: ({ name }) => name },
  columns: shown,
  sort: 'name',
  search: { label: 'search', empty: 'emptyFilter' },
  facts: shown,
  panels: [usePanel],
  form: pageForm,
})

function stateOf({ isOpen }: ShownVerificationPage, { language }: Frame): Html {
  const { states } = verificationPageTexts[language]
  return isOpen ? badge(states.true, 'ok') : badge(states.false, 'plain')
}

/** The link, the line of HTML, and the call of the backend. */
function usePanel({ id, pageUri, scriptUri, origins }: ShownVerificationPage, frame: Frame): Html {
  const { language, origin } = frame
  const t = verificationPageTexts[language]
  const script = `<script type="module" src="${scriptUri}"></script>`
  const line = `${script}<chirograph-verify page="${id}"></chirograph-verify>`
  const result = `${origin}/creds/presentations/$REQUEST?responseCode=$RESPONSE_CODE`
  const call = `curl -H "Authorization: Bearer $TOKEN" "${result}"`
  const embedding =
    origins.length === 0 ? html`<p>${t.noWebsites}</p>` : html`<p>${t.snippetHint}</p>${copied(frame, line)}`
  const see = buttonLink(t.see, new URL(pageUri).pathname)
  return html`<section class="panel"><header><h2>${t.use}</h2>${see}</header><div class="inside stack">
<h3>${t.link}</h3>${copied(frame, pageUri)}<h3>${t.snippet}</h3>${embedding}
<h3>${t.backend}</h3><p>${t.backendHint}</p>${copied(frame, call)}</div></section>`
}
