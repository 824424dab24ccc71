import type { MetaOf } from '../../contract/api-operation.ts'
import { users } from '../../contract/directory/users.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink, message } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { roleChoices } from '../frame/role-choices.ts'
import type { Frame } from '../frame/screen.ts'
import { resource } from '../resource/resource.ts'
import { personChanges } from './change-screens.ts'
import { personForm } from './form.ts'
import { type Person, peoplePath, peoplePlace, personName, personPath } from './person.ts'
import { peopleTexts } from './texts.ts'

/** People of the organisation. */
export const peopleScreens: readonly Endpoint[] = [
  ...resource({
    noun: users,
    place: peoplePlace,
    path: peoplePath,
    texts: peopleTexts,
    called: { one: 'a person', many: 'the people of the organisation' },
    idOf: ({ username }) => username,
    name: { label: 'username', of: personName, below: usernameBelow, isSorted: true },
    columns: {
      roles: (one, { texts, t }) => one.roles.map((role) => texts.roles[role]).join(', ') || t.none,
      state: stateOf,
    },
    sort: 'username',
    search: { label: 'search', empty: 'emptyFilter', notYet: 'notYet' },
    filters: { role: { label: 'onlyRole', choices: roleChoices } },
    facts: {
      username: ({ username }) => username,
      email: ({ email }, { t }) => email || t.none,
      state: stateOf,
    },
    panels: [firstSignIn],
    form: personForm,
    actions: (one, { language }) => {
      const t = peopleTexts[language]
      const verb = one.enabled ? 'disable' : 'enable'
      const invite = buttonLink(t.invite, personPath(one.username, 'invite'))
      return html`${invite}${buttonLink(t[verb], personPath(one.username, verb))}`
    },
    told: ({ language }, _, { meta, formWith }) =>
      meta.created === false ? formWith(peopleTexts[language].existed) : null,
  }),
  ...personChanges,
]

function usernameBelow(one: Person): Html | null {
  return personName(one) === one.username ? null : html`<br><span class="hint">${foreign(one.username, 255)}</span>`
}

/** Who is enabled and cannot sign in yet waits for an invitation, unless a provider of the organisation knows them. */
function firstSignIn(one: Person, { language }: Frame, { canSignIn }: MetaOf<typeof users.get>): Html | null {
  return one.enabled && canSignIn === false ? message('note', peopleTexts[language].notYetIn) : null
}

function stateOf({ enabled }: Person, { language }: Frame): Html {
  const t = peopleTexts[language]
  return enabled ? badge(t.enabled, 'ok') : badge(t.disabled, 'warn')
}
