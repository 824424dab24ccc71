import type { ReplyOf } from '../../contract/api-operation.ts'
import { identityProviders } from '../../contract/directory/identity-providers.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { copied } from '../frame/copied.ts'
import type { Frame } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { resource } from '../resource/resource.ts'
import { providerForm } from './form.ts'
import { providerTexts } from './texts.ts'

/** An external OpenID provider, as the API shows it. */
type Provider = ReplyOf<typeof identityProviders.get>

/** Sign-in providers of the organisation. */
export const providerScreens: readonly Endpoint[] = resource({
  noun: identityProviders,
  place: 'providers',
  path: '/console/sign-in-providers',
  texts: providerTexts,
  called: { one: 'a sign-in provider', many: 'the sign-in providers of the organisation' },
  name: { label: 'displayName', of: ({ displayName }) => displayName },
  columns: { issuer: ({ issuer }) => foreign(issuer), state: usesOf, changed: changedOf },
  notice: (one, frame) => html`${registerPanel(one, frame)}${tryPanel(one, frame)}`,
  facts: {
    name: ({ name }) => html`<code>${name}</code>`,
    issuer: ({ issuer }) => foreign(issuer, 2000),
    clientId: ({ clientId }) => codeOf(clientId),
    clientSecret: ({ hasClientSecret }, { language }) => {
      const t = providerTexts[language]
      return hasClientSecret ? t.hasSecret : t.hasNone
    },
    state: usesOf,
    createsUsers: ({ createsUsers }, { texts }) => (createsUsers ? texts.yes : texts.no),
    namesPeople: ({ namesPeople }, { texts, language }) =>
      namesPeople ? texts.yes : providerTexts[language].namesNobody,
    scopes: ({ scopes }) => codeOf(scopes.join(' ')),
    'claims-username': ({ claims }, frame) => claimOf(claims.username, frame),
    'claims-email': ({ claims }, frame) => claimOf(claims.email, frame),
    'claims-externalIdentifier': ({ claims }, frame) => claimOf(claims.externalIdentifier, frame),
    audience: ({ audience }) => (audience === null ? null : codeOf(audience)),
    changed: changedOf,
  },
  panels: [rolesPanel, (_, { language }) => html`<p class="hint">${providerTexts[language].ofFile}</p>`],
  form: providerForm,
  isFormApart: true,
})

function changedOf({ updatedAt }: Provider, frame: Frame): Html {
  return when(frame, updatedAt)
}

function usesOf({ signIn, acceptTokens }: Provider, { language }: Frame): string {
  const t = providerTexts[language]
  return [signIn && t.uses.signIn, acceptTokens && t.uses.tokens].filter(Boolean).join(', ') || t.unused
}

function codeOf(text: string): Html {
  return html`<code>${foreign(text, 500)}</code>`
}

function claimOf(name: string | null | undefined, { t }: Frame): Html | string {
  return name == null ? t.none : codeOf(name)
}

function registerPanel({ redirectUri }: Provider, frame: Frame): Html {
  const t = providerTexts[frame.language]
  return panel(t.registerTitle, html`<p>${t.registerText}</p>${copied(frame, redirectUri)}`)
}

/** In another window: the person who is signed in here would be signed out. */
function tryPanel({ signIn }: Provider, frame: Frame): Html {
  const t = providerTexts[frame.language]
  const address = `${frame.origin}/sign-in?tenant=${encodeURIComponent(frame.me.organisation.slug)}`
  return panel(t.tryTitle, signIn ? html`<p>${t.tryText}</p>${copied(frame, address)}` : html`<p>${t.tryAway}</p>`)
}

function panel(title: string, content: Html): Html {
  return html`<section class="panel"><header><h2>${title}</h2></header><div class="inside">${content}</div></section>`
}

/** Which roles the provider gives, and where it names them. */
function rolesPanel({ claims, roles }: Provider, { language, texts }: Frame): Html | null {
  const t = providerTexts[language]
  const given = Object.entries(roles).map(([there, here]) => {
    const names = here.map((one) => texts.roles[one]).join(', ')
    return [html`${foreign(there)}`, names || t.noRole] as const
  })
  if (claims.roles === null && given.length === 0) return null
  const lines = [[t['claims-roles'], codeOf(claims.roles ?? '')] as const, ...given]
  const shown = lines.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return html`<section class="panel"><header><h2>${t.roles}</h2></header><dl class="facts">${shown}</dl></section>`
}
