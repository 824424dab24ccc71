import type { ReplyOf } from '../../contract/api-operation.ts'
import { groups } from '../../contract/directory/groups.ts'
import { givenRoleChoices } from '../frame/role-choices.ts'
import type { Frame } from '../frame/screen.ts'
import { text, ticks } from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { groupTexts } from './texts.ts'

/** Where groups are listed. */
export const groupsPath = '/console/groups'
/** Their entry of the menu. */
export const groupsPlace = 'groups'

/** A group, as the API shows it. */
export type ShownGroup = ReplyOf<typeof groups.get>

/** Returns the address of a group, or of something to do with it. */
export function groupPath({ id }: Pick<ShownGroup, 'id'>, verb?: string): string {
  return `${groupsPath}/${encodeURIComponent(id)}${verb === undefined ? '' : `/${verb}`}`
}

/** Reads the group of the address. */
export async function read({ api, params }: Frame<{ readonly id: string }>): Promise<ShownGroup> {
  return (await api.call(groups.get, { params: { id: params.id } })).data
}

/** The form of a group. */
export const groupForm = resourceForm(groups, groupTexts, {
  displayName: text(),
  roles: ticks(givenRoleChoices),
  externalIdentifier: text({ isName: true }),
})
