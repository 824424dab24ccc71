import { identityProviders } from '../../contract/directory/identity-providers.ts'
import { isJsonObject, type Json } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { hidden, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { givenRoleChoices } from '../frame/role-choices.ts'
import {
  type FormField,
  moreButton,
  secret,
  seldom,
  spacedEntries,
  type Typed,
  text,
  textIn,
  tick,
} from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { providerTexts } from './texts.ts'

/** As many rows as the API takes roles of a provider. */
const ROWS_MAX = 200
const ROWS_MORE = 3
/** A row has the name of a role at the provider, and a role here. */
const emptyRows: Typed = Array.from({ length: 2 * ROWS_MORE }, () => '')

/** Roles at the provider, each with what it is here: a row for each pair, and a button for more rows. */
const mappings: FormField = {
  blank: emptyRows,
  draw: (frame, { name, label, hint, error }, now) => {
    const t = providerTexts[frame.language]
    const choices = [{ value: '', text: t.noRole }, ...givenRoleChoices(frame)]
    const rows = pairsIn(now).map(([there, here], at) => {
      const of = { name: `${name}-there-${at}`, label: t.there(at + 1), value: there, lengthMax: 200 }
      const role = { name: `${name}-here-${at}`, label: t.here(at + 1), value: here, choices }
      return html`<div class="pair">
        ${field(frame, { ...of, isName: true, isOptional: true })}
        ${select(frame, role)}
      </div>`
    })
    const wrong = error !== undefined && html` id="${name}" tabindex="-1" aria-describedby="${name}-error"`
    const why = error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`
    const about = html`<legend>${label}</legend><p class="hint">${hint}</p>${why}`
    const more = html`${hidden(`${name}-rows`, String(rows.length))}<div>${moreButton(t.addRows, name)}</div>`
    return html`<fieldset class="stack"${wrong}>${about}${rows}${more}</fieldset>`
  },
  read: (fields, name) => {
    const rows = Math.min(ROWS_MAX, Number.parseInt(typed(fields, `${name}-rows`), 10) || 0)
    return Array.from({ length: rows }, (_, at) => rowOf(fields, name, at)).flat()
  },
  fill: (value) => {
    const known = Object.entries(isJsonObject(value) ? value : {}).flatMap(([there, here]) => {
      const given = Array.isArray(here) && here.length > 0 ? here.map(String) : ['']
      return given.flatMap((one) => [there, one])
    })
    return [...known, ...emptyRows]
  },
  give: (now) => Object.fromEntries(rolesIn(now)),
  words: ({ texts, t }, now) => {
    const names = new Map<string, string>(Object.entries(texts.roles))
    const said = rolesIn(now).map(
      ([there, here]) => `${there} → ${here.map((one) => names.get(one) ?? one).join(', ') || t.none}`,
    )
    return said.join('; ')
  },
  more: (now) => [...now, ...emptyRows].slice(0, 2 * ROWS_MAX),
}

function rowOf(fields: Fields, name: string, at: number): readonly [there: string, here: string] {
  return [typed(fields, `${name}-there-${at}`), typed(fields, `${name}-here-${at}`)]
}

function pairsIn(now: Typed): readonly (readonly [there: string, here: string])[] {
  return now.flatMap((there, at) => (at % 2 === 0 ? [[there, now[at + 1] ?? ''] as const] : []))
}

/** The roles there with those here, in the order of the rows. Several rows of one role there give several. */
function rolesIn(now: Typed): readonly (readonly [there: string, here: string[]])[] {
  const groups = Map.groupBy(
    pairsIn(now).filter(([there]) => there !== ''),
    ([there]) => there,
  )
  return [...groups].map(([there, rows]) => {
    const here = rows.map(([, one]) => one).filter((one) => one !== '')
    return [there, [...new Set(here)]] as const
  })
}

/** A claim that the API names itself where nothing is typed. */
function standardClaim(name: string): FormField {
  return { ...text({ isName: true }), blank: [name], give: (now): Json => textIn(now) || name }
}

/** Roles count only where the provider says them. */
const rolesClaim: FormField = {
  ...text({ isName: true }),
  fault: ({ language }, now, { roles: rows = [] }) => {
    const isNeeded = rolesIn(rows).some(([, here]) => here.length > 0)
    return isNeeded && textIn(now) === '' ? providerTexts[language].claimNeeded : null
  },
}

/** Tokens need no scope, so the API takes any. */
const scopes: FormField = {
  ...spacedEntries(['openid', 'profile', 'email']),
  fault: ({ language }, now, { signIn = [] }) => {
    const isSignedIn = signIn.length > 0 && !textIn(now).split(/\s+/).includes('openid')
    return isSignedIn ? providerTexts[language].openidNeeded : null
  },
}

/** The form of a sign-in provider. */
export const providerForm = resourceForm(identityProviders, providerTexts, {
  displayName: text(),
  name: {
    ...text({ isName: true }),
    hint: ({ language, origin, me }) =>
      providerTexts[language].nameHint(`${origin}/sign-in/external/${me.organisation.slug}/…`),
  },
  issuer: text({ isName: true }),
  clientId: text({ isName: true }),
  clientSecret: secret('hasClientSecret'),
  createsUsers: tick(),
  roles: mappings,
  'claims-roles': rolesClaim,
  signIn: seldom(tick({ isOn: true })),
  scopes: seldom(scopes),
  'claims-username': seldom(standardClaim('preferred_username')),
  'claims-email': seldom(standardClaim('email')),
  'claims-externalIdentifier': seldom(text({ isName: true })),
  acceptTokens: seldom(tick()),
  audience: seldom({
    ...text({ isName: true }),
    hint: ({ language, origin, me }) =>
      providerTexts[language].audienceHint(`${origin}/issuers/${me.organisation.slug}`),
  }),
})
