import { Fault } from '../../fault.ts'
import type { TenantTx } from '../../store/store.ts'
import type { User } from './user.ts'
import { selectEnabled, selectUser } from './user-store.ts'

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
  const fault = refusalOf(found?.enabled, identifierType, pointer)
  if (found === null || fault !== null) throw fault
  return found
}

/**
 * Returns, for each of these users, the fault of {@link getRecipient}; null where it returns the user.
 *
 * @param recipients At most a few thousand: they are the parameter of one statement.
 */
export async function recipientRefusals(
  tx: TenantTx,
  recipients: readonly RecipientIdentifier[],
  pointer: string,
): Promise<readonly (Fault | null)[]> {
  const byType = Map.groupBy(recipients, ({ identifierType }) => identifierType)
  const found = new Map<RecipientIdentifier['identifierType'], ReadonlyMap<string, boolean>>()
  for (const [type, some] of byType) {
    const values = [...new Set(some.map(({ value }) => value))]
    found.set(type, await selectEnabled(tx, type, values))
  }
  return recipients.map(({ identifierType, value }) =>
    refusalOf(found.get(identifierType)?.get(value), identifierType, pointer),
  )
}

/** @param enabled Whether the user is; undefined: there is no such user. */
function refusalOf(enabled: boolean | undefined, identifierType: string, pointer: string): Fault | null {
  const about = (detail: string) => ({ violations: [{ detail, pointer }] })
  if (enabled === undefined)
    return new Fault('resource.unknown', about(`There is no user with this ${identifierType}.`))
  return enabled ? null : new Fault('state.invalid', about('The user is disabled.'))
}
