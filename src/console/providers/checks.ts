import { ApiRefusal } from '../../pages/own-api.ts'
import { type Problems, problemsOf } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { type Draft, rolesIn } from './draft.ts'
import { providerTexts } from './texts.ts'

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const fieldNames: Readonly<Record<string, string>> = {
  '/displayName': 'displayName',
  '/name': 'name',
  '/issuer': 'issuer',
  '/clientId': 'clientId',
  '/clientSecret': 'secret',
  '/audience': 'audience',
  '/claims/username': 'username',
  '/claims/email': 'email',
  '/claims/roles': 'rolesClaim',
  '/claims/externalIdentifier': 'externalId',
  '/roles': 'there-0',
}

function fieldOf(pointer: string): string | null {
  return pointer.startsWith('/scopes') ? 'scopes' : (fieldNames[pointer] ?? null)
}

/** Returns what is missing or cannot be, before the API is asked. */
export function checkDraft(draft: Draft, frame: Frame): Problems {
  const t = providerTexts[frame.language]
  const missing = (['displayName', 'issuer', 'clientId'] as const).filter((name) => draft[name] === '')
  const givesRoles = Object.values(rolesIn(draft)).some((given) => given.length > 0)
  const fields = {
    ...Object.fromEntries(missing.map((name) => [name, frame.t.required(t[name])])),
    ...(!NAME.test(draft.name) && { name: draft.name === '' ? frame.t.required(t.name) : t.nameWrong }),
    ...(givesRoles && draft.rolesClaim === '' && { rolesClaim: t.claimNeeded }),
    ...(draft.signsIn && !draft.scopes.split(/\s+/).includes('openid') && { scopes: t.openidNeeded }),
    ...(draft.acceptsTokens && draft.audience === '' && { audience: t.audienceNeeded }),
  }
  return withSecret({ fields }, draft, frame)
}

/** Returns the findings of the API at their fields, in words: its own sentences are English. */
export function refusedDraft(error: unknown, draft: Draft, frame: Frame): Problems {
  const t = providerTexts[frame.language]
  const isTaken = error instanceof ApiRefusal && error.status === 409
  const found = problemsOf(error, fieldOf, frame.t)
  const isTooLong = error instanceof ApiRefusal && error.errors.some(({ rule }) => rule === 'maxLength')
  const texts: Readonly<Record<string, string>> = {
    name: isTaken ? t.nameTaken : t.nameWrong,
    ...(!isTooLong && { issuer: t.issuerWrong, audience: t.audienceWrong }),
  }
  const fields = Object.entries(found.fields).map(([name, why]) => [name, texts[name] ?? why] as const)
  const isNaming = error instanceof ApiRefusal && error.errors.some(({ pointer }) => pointer === '/namesPeople')
  const general = isNaming ? t.namesNeeded : isTaken && fields.length === 0 ? t.full : found.general
  return withSecret({ fields: Object.fromEntries(fields), ...(general !== undefined && { general }) }, draft, frame)
}

/** Returns the findings in the order of the form. A secret that was typed is not shown again, so the form that is shown again lacks it. */
function withSecret(found: Problems, draft: Draft, { language }: Frame): Problems {
  const hasFindings = Object.keys(found.fields).length > 0 || found.general !== undefined
  const again = hasFindings && draft.secret !== '' && { secret: providerTexts[language].secretAgain }
  const fields = Object.entries({ ...again, ...found.fields })
  return { ...found, fields: Object.fromEntries(fields.toSorted(([one], [other]) => placeOf(one) - placeOf(other))) }
}

/** In which order the fields stand in the form; the others stand behind these. */
const first: readonly string[] = ['displayName', 'name', 'issuer', 'clientId', 'secret', 'rolesClaim', 'there-0']

function placeOf(name: string): number {
  const at = first.indexOf(name)
  return at === -1 ? first.length : at
}
