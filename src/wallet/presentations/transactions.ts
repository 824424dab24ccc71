import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { DcqlCredential } from '../../protocols/dcql/match.ts'
import { isAuthorized, type KeyAuthorizations } from '../../protocols/mdoc/mobile-security-object.ts'
import {
  TRANSACTION_HASHES,
  type TransactionData,
  type TransactionMember,
  type Transactions,
  type TransactionTypes,
} from '../../protocols/openid4vp/transactions.ts'

/**
 * A credential whose key may authorize. `authorizations`: the elements that the key of an mdoc may sign; null for other
 * formats.
 */
type Authorizer = Pick<DcqlCredential, 'holderBound'> & { readonly authorizations: KeyAuthorizations | null }

/** One presentation to make. */
type Choice = { readonly query: { readonly id: string }; readonly match: { readonly credential: Authorizer } }

/** One entry of the tenant's setting `transactionDataTypes`. */
type TypeSetting = { readonly type: string; readonly members: Readonly<Record<string, TransactionMember>> }

/**
 * Returns the types of transaction data that wallets of a tenant know: its setting `transactionDataTypes`; by default
 * none.
 */
export function transactionTypesOf(tenant: Pick<Tenant, 'settings'> | null): TransactionTypes {
  const setting = tenant?.settings.transactionDataTypes
  // The bootstrap file was validated against its schema.
  const types = Array.isArray(setting) ? (setting as readonly TypeSetting[]) : []
  return new Map(types.map(({ type, members }) => [type, members]))
}

/**
 * Whether the key of a credential can authorize a transaction. That of an mdoc only with the issuer's authorization to
 * sign the element.
 */
function canAuthorize({ holderBound, authorizations }: Authorizer, { type }: TransactionData): boolean {
  return holderBound && (authorizations === null || isAuthorized(authorizations, type, TRANSACTION_HASHES))
}

/** Whether a credential can answer a query: all transactions that only this query authorizes included. [VP-T5] */
export function authorizesQuery({ entries }: Transactions, queryId: string, credential: Authorizer): boolean {
  const due = entries.filter(({ credentialIds }) => credentialIds.length === 1 && credentialIds[0] === queryId)
  return due.every((one) => canAuthorize(credential, one))
}

/** Returns the query ids of a proposal together with those that the transactions need, from the optional ones. */
export function withTransactions(
  proposed: readonly string[],
  optional: readonly string[],
  { entries }: Transactions,
): readonly string[] {
  const ids = new Set(proposed)
  for (const { credentialIds } of entries) {
    const found = credentialIds.some((id) => ids.has(id))
      ? undefined
      : credentialIds.find((id) => optional.includes(id))
    if (found !== undefined) ids.add(found)
  }
  return [...ids]
}

/**
 * Assigns each transaction to the one presentation that authorizes it: the first of its credential queries that is
 * answered. [VP-T1]
 *
 * @throws Fault `credential.unmatched` if the choices do not include such a presentation
 */
export function assignTransactions<C extends Choice>(
  choices: readonly C[],
  { entries }: Transactions,
): ReadonlyMap<C, readonly TransactionData[]> {
  const assigned = new Map<C, readonly TransactionData[]>()
  for (const entry of entries) {
    const able = choices.filter(
      ({ query, match }) => entry.credentialIds.includes(query.id) && canAuthorize(match.credential, entry),
    )
    const choice = entry.credentialIds.flatMap((id) => able.filter(({ query }) => query.id === id))[0]
    if (choice === undefined) {
      const detail = 'No selected credential can authorize the transaction of the request.'
      throw new Fault('credential.unmatched', { detail })
    }
    assigned.set(choice, [...(assigned.get(choice) ?? []), entry])
  }
  return assigned
}
