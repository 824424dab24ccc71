import { type Scope, scopes } from '../../caller.ts'
import { clients } from '../../contract/directory/clients.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../crypto/json.ts'
import { choicesIn } from '../../pages/controls.ts'
import { ruleWords } from '../frame/form-values.ts'
import { givenRoleChoices } from '../frame/role-choices.ts'
import type { Frame } from '../frame/screen.ts'
import { area, choice, lines, seldom, text, textIn, tick, ticks } from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { applicationTexts } from './texts.ts'

/** A JSON Web Key Set, or a single key. */
const keySet = area({
  rows: 3,
  isCode: true,
  fill: (jwks) => JSON.stringify(jwks, null, 2),
  give: (content) => (content === '' ? null : keysIn(content)),
  // What is no JSON is no value for the API.
  fault: ({ t }, now) => (textIn(now) !== '' && keysIn(textIn(now)) === null ? ruleWords(t, 'client.keys', '') : null),
  place: (_, __, ___, why) => why,
})

/** Returns the keys of a text: a set, or a single one. @returns null if it is neither */
function keysIn(content: string): Json {
  try {
    const value = parseJson(content)
    if (!isJsonObject(value)) return null
    return value.keys === undefined ? { keys: [value] } : value
  } catch {
    return null
  }
}

/** The form of an application. */
export const applicationForm = resourceForm(
  clients,
  applicationTexts,
  {
    name: text(),
    isPublic: choice(kindChoices, 'false', (chosen) => chosen === 'true'),
    roles: ticks(givenRoleChoices),
    redirectUris: lines(),
    asksConsent: seldom(tick({ isOn: true })),
    dpopRequired: seldom(tick()),
    parRequired: seldom(tick()),
    pkceRequired: seldom(tick({ on: false, off: true })),
    idTokenSignedResponseAlg: seldom(tick({ on: 'ES256', off: 'RS256' })),
    postLogoutRedirectUris: seldom(lines()),
    backchannelLogoutUri: seldom(text({ isName: true })),
    tosUri: seldom(text({ isName: true })),
    jwks: seldom(keySet),
    jwksUri: seldom(text({ isName: true })),
    grantTypes: seldom(ticks(grantChoices)),
    scopes: seldom(ticks(scopeChoices)),
    disabled: { ...tick(), isOnlyChanged: true },
  },
  withGrants,
)

/**
 * What an application is allowed if nothing is chosen: a service signs people in only where it has an address for their
 * return.
 */
function withGrants(members: JsonObject): JsonObject {
  const { grantTypes, isPublic, redirectUris } = members
  if (Array.isArray(grantTypes) && grantTypes.length > 0) return members
  const isReturned = Array.isArray(redirectUris) && redirectUris.length > 0
  if (isPublic === true) return { ...members, grantTypes: ['authorization_code', 'refresh_token'] }
  const signedIn = ['authorization_code', 'refresh_token', 'client_credentials']
  const alone = ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange']
  return { ...members, grantTypes: isReturned ? signedIn : alone }
}

function kindChoices({ language }: Frame) {
  const { kinds } = applicationTexts[language]
  return [
    { value: 'false', text: kinds.service },
    { value: 'true', text: kinds.app },
  ]
}

function grantChoices({ language }: Frame) {
  return choicesIn(applicationTexts[language].grantNames)
}

function scopeChoices() {
  // Object.keys loses the type of the keys.
  const names = (Object.keys(scopes) as Scope[]).filter((one) => one !== 'platform:admin')
  return names.map((value) => ({ value, text: value }))
}
