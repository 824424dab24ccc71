import { isRole } from '../../caller.ts'
import type { Group } from './group.ts'

/** Returns a group as our API shows it. */
export function showGroup({ id, displayName: shown, externalIdentifier, roles: names, createdAt, updatedAt }: Group) {
  return {
    id,
    displayName: shown,
    externalIdentifier: externalIdentifier ?? '',
    roles: names.filter(isRole),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
