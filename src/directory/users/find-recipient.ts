import { Fault } from '../../fault.ts'
import type { TenantTx } from '../../store/store.ts'
import type { User } from './user.ts'
import { selectUser } from './user-store.ts'

/** How an organisation identifies one of its users. */
export type RecipientIdentifier = {
  readonly identifierType: 'email' | 'username' | 'externalIdentifier'
  readonly value: string
}

/**
 * Returns the user of the transaction's tenant who receives something.
 *
 * @param pointer Where in the request the user is named (RFC 6901).
 * @throws Fault `resource.unknown`; `state.invalid` if the user is disabled
 */
export async function getRecipient(
  tx: TenantTx,
  { identifierType, value }: RecipientIdentifier,
  pointer: string,
): Promise<User> {
  const found = await selectUser(tx, identifierType, value)
  const about = (detail: string) => ({ violations: [{ detail, pointer }] })
  if (found === null) throw new Fault('resource.unknown', about(`There is no user with this ${identifierType}.`))
  if (!found.enabled) throw new Fault('state.invalid', about('The user is disabled.'))
  return found
}
