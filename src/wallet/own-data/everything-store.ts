import type { UserId } from '../../caller.ts'
import { sql, type TenantTx } from '../../store/store.ts'

const OF_USER = 'tenant_id = $1 and user_id = $2'
const deleteCredentials = sql(
  'wallet.delete_all_credentials',
  `delete from wallet_credential where ${OF_USER} returning id`,
)
const deleteRemoved = sql('wallet.delete_all_traces', `delete from wallet_removed_credential where ${OF_USER}`)
const deletePresentations = sql('wallet.delete_all_presentations', `delete from wallet_presentation where ${OF_USER}`)
const deleteSessions = sql('wallet.delete_all_sessions', `delete from wallet_issuance_session where ${OF_USER}`)
const deletePushSubscriptions = sql(
  'wallet.delete_all_push_subscriptions',
  `delete from wallet_push_subscription where ${OF_USER}`,
)
const deleteLinks = sql('wallet.delete_all_shared_links', `delete from wallet_shared_link where ${OF_USER}`)
const deleteOrders = sql(
  'wallet.delete_all_orders',
  `delete from wallet_deferred where ${OF_USER} returning delivery_id as "deliveryId"`,
)

/**
 * Deletes everything that a user holds: credentials with their keys, orders in progress, sessions at issuers,
 * presentation requests, links, history, and the browsers that messages are sent to.
 *
 * @returns ids of the credentials, and the orders, whose deliveries are to be settled
 */
export async function deleteWallet(
  tx: TenantTx,
  userId: UserId,
): Promise<{ readonly credentialIds: string[]; readonly orders: { readonly deliveryId: string | null }[] }> {
  const values = [tx.tenantId, userId]
  const orders = await tx.rows<{ deliveryId: string | null }>(deleteOrders, values)
  const credentials = await tx.rows<{ id: string }>(deleteCredentials, values)
  const others = [deleteSessions, deletePresentations, deleteRemoved, deletePushSubscriptions, deleteLinks]
  for (const statement of others) await tx.rows(statement, values)
  return { credentialIds: credentials.map(({ id }) => id), orders }
}
