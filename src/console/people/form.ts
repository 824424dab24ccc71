import { users } from '../../contract/directory/users.ts'
import { roleChoices } from '../frame/role-choices.ts'
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
