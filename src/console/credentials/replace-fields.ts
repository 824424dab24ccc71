import type { GivenBody } from '../../contract/call.ts'
import { issuances, type ReplacementTime } from '../../contract/issuance/issuances.ts'
import { keptAttributes } from '../../contract/issuance/kept-attributes.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { choicesIn, hidden, select } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { message } from '../../pages/parts.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { type ConsoleIssuance, issuanceName } from './issuance.ts'
import { credentialTexts } from './texts.ts'

const LIST = '/console/credentials'

/** Returns the issuance whose credential the form is to replace, as its address or the form names it; null: none. */
export async function readReplaced({ api, query, fields }: Frame): Promise<ConsoleIssuance | null> {
  const id = typed(fields, 'replaces') || (query.replaces ?? '')
  return id === '' ? null : (await api.call(issuances.get, { params: { id } })).data
}

/** Returns the values of the credential that the form is to replace; null where they were erased. */
export async function readOldValues({ api }: Frame, { id }: ConsoleIssuance): Promise<JsonObject | null> {
  try {
    return (await api.call(keptAttributes.get, { params: { id } })).data.attributes as JsonObject
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 409) return null
    throw error
  }
}

/**
 * Returns what the form says about the credential that it replaces, and the choice of when that one is revoked.
 *
 * @param isEmpty The values of that one were erased.
 */
export function replaceFields(frame: Frame, old: ConsoleIssuance, { fields: wrong }: Problems, isEmpty: boolean): Html {
  const t = credentialTexts[frame.language].replace
  const times = Object.fromEntries(
    Object.entries(t.times).filter(([time]) => old.credentials[0]?.revocable === true || time === 'never'),
  )
  const value = typed(frame.fields, 'revoke') || 'whenTaken'
  const revoke = select(frame, {
    name: 'revoke',
    label: t.revoke,
    value,
    choices: choicesIn(times),
    error: wrong.revoke,
  })
  return html`${hidden('replaces', old.id)}${message('note', t.note(nameOf(old)))}
  ${isEmpty && message('note', t.noValues)}${revoke}`
}

/** Returns the member of the body that names the replaced credential; nothing where the form replaces none. */
export function replacesOf({ fields }: Pick<Frame, 'fields'>): Pick<GivenBody<typeof issuances.create>, 'replaces'> {
  const [id, revoke] = [typed(fields, 'replaces'), typed(fields, 'revoke')]
  return id === '' ? {} : { replaces: { id, revoke: revoke as ReplacementTime } }
}

function nameOf(old: ConsoleIssuance): string {
  return [old.templateName, issuanceName(old), old.reference].filter(Boolean).join(' · ')
}

/** Returns the facts about what a credential replaces, and what replaces it. */
export function replacementFacts(frame: Frame, { replaces, replacedBy }: ConsoleIssuance) {
  const t = credentialTexts[frame.language].replace
  const link = (name: string, to: { readonly issuanceId: string } | undefined) =>
    to === undefined ? [] : [[name, html`<a href="${`${LIST}/${to.issuanceId}`}">${t.other}</a>`] as const]
  return [...link(t.replaces, replaces), ...link(t.replacedBy, replacedBy)]
}

/** Returns the address of the form that replaces a credential; null where that is not possible. */
export function replaceAddress({ id, credentials, replacedBy }: ConsoleIssuance): string | null {
  const [credential] = credentials
  const canBe = ['offered', 'deferred', 'issued', 'accepted', 'suspended'].includes(credential?.status ?? '')
  if (credential === undefined || !canBe || replacedBy !== undefined) return null
  return `/console/issue/${credential.credentialTemplateId}?replaces=${id}`
}
