import { type Role, roles } from '../../caller.ts'
import { users } from '../../contract/directory/users.ts'
import type { Frame } from '../frame/screen.ts'
import { text, ticks } from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { peopleTexts } from './texts.ts'

/** The form of a person. */
export const personForm = resourceForm(users, peopleTexts, {
  firstName: text(),
  lastName: text(),
  email: text({ type: 'email' }),
  username: { ...text({ isName: true }), isOnlyNew: true },
  roles: ticks(roleChoices),
})

/** Returns every role, in words. */
export function roleChoices({ texts }: Frame) {
  // Object.keys loses the type of the keys.
  return (Object.keys(roles) as Role[]).map((value) => ({ value, text: texts.roles[value] }))
}
