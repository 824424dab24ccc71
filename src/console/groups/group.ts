import { type Role, roles } from '../../caller.ts'
import type { ReplyOf } from '../../contract/api-operation.ts'
import type { GivenBody } from '../../contract/call.ts'
import { groups } from '../../contract/directory/groups.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { checkboxes, hidden } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { type Problems, problemsOf, typedAll } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { groupTexts } from './texts.ts'

/** Where groups are listed. */
export const LIST = '/console/groups'
/** Their entry of the menu. */
export const place = 'groups'

/** A group, as the API shows it. */
export type Group = ReplyOf<typeof groups.get>

/** What a form of a group holds. */
export type Draft = {
  readonly name: string
  readonly externalIdentifier: string
  readonly roles: readonly string[]
  /** Of the saved group that is being edited, to notice changes by another person; `''` for a new one. */
  readonly etag: string
}

/** The form of a new group. */
export const blank: Draft = { name: '', externalIdentifier: '', roles: [], etag: '' }

/** Returns the address of a group, or of something to do with it. */
export function at({ id }: Pick<Group, 'id'>, verb?: string): string {
  return `${LIST}/${encodeURIComponent(id)}${verb === undefined ? '' : `/${verb}`}`
}

/** Reads the group of the address, with the entity tag of its state. */
export async function read({ api, params }: Frame<{ readonly id: string }>) {
  const { data, etag } = await api.call(groups.get, { params: { id: params.id } })
  return { found: data, etag: etag ?? '' }
}

/** Returns the form of a group. */
export function savedDraft({ displayName, externalIdentifier, roles: given }: Omit<Group, 'id'>, etag: string): Draft {
  return { name: displayName, externalIdentifier, roles: given, etag }
}

/** Returns what was typed. */
export function readDraft(fields: Fields): Draft {
  const [name, externalIdentifier, etag] = [
    typed(fields, 'name'),
    typed(fields, 'externalIdentifier'),
    typed(fields, 'etag'),
  ]
  return { name, externalIdentifier, roles: typedAll(fields, 'roles'), etag }
}

/** Returns the body of a new group. */
export function newBody({ name, externalIdentifier, roles: given }: Draft): GivenBody<typeof groups.create> {
  return { displayName: name, ...(externalIdentifier !== '' && { externalIdentifier }), roles: given }
}

/** Returns the fields of a group. @param isNew It can be given the id that it has elsewhere. */
export function groupFields(frame: Frame, draft: Draft, { fields }: Problems, isNew: boolean): Html {
  const t = groupTexts[frame.language]
  // Object.keys loses the type of the keys.
  const names = (Object.keys(roles) as Role[]).filter((one) => one !== 'holder' || draft.roles.includes(one))
  const choices = names.map((value) => ({ value, text: frame.texts.roles[value] }))
  const id = field(frame, {
    name: 'externalIdentifier',
    label: t.externalIdentifier,
    hint: t.externalIdentifierHint,
    value: draft.externalIdentifier,
    isOptional: true,
    isName: true,
    lengthMax: 255,
    error: fields.externalIdentifier,
  })
  const name = { name: 'name', label: t.name, value: draft.name, lengthMax: 255, error: fields.name }
  return html`${hidden('etag', draft.etag)}${field(frame, name)}${checkboxes('roles', t.roles, choices, draft.roles)}${isNew && id}`
}

/** Returns what is missing before the API is asked. */
export function checkDraft({ name }: Draft, frame: Frame): Problems {
  const t = groupTexts[frame.language]
  return { fields: name === '' ? { name: frame.t.required(t.name) } : {} }
}

/** Returns the findings of the API at their fields. */
export function refusedDraft(error: unknown, frame: Frame): Problems {
  const t = groupTexts[frame.language]
  const names: Readonly<Record<string, string>> = {
    '/displayName': 'name',
    '/externalIdentifier': 'externalIdentifier',
  }
  const found = problemsOf(error, (pointer) => names[pointer] ?? null, frame.t)
  if (!(error instanceof ApiRefusal) || error.status !== 409) return found
  return { ...found, fields: Object.fromEntries(Object.keys(found.fields).map((name) => [name, t.taken])) }
}
