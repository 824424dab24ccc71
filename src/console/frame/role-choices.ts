import { type Role, roles } from '../../caller.ts'
import type { Choice } from '../../pages/controls.ts'
import type { Frame } from './screen.ts'

/** Returns every role, in words. */
export function roleChoices({ texts }: Pick<Frame, 'texts'>): readonly Choice[] {
  // Object.keys loses the type of the keys.
  return (Object.keys(roles) as Role[]).map((value) => ({ value, text: texts.roles[value] }))
}

/**
 * Returns the roles that a group, a provider or an application may give, in words: every user is a holder without it.
 */
export function givenRoleChoices(frame: Pick<Frame, 'texts'>): readonly Choice[] {
  return roleChoices(frame).filter(({ value }) => value !== 'holder')
}
