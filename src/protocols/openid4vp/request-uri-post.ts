/**
 * The form body of a wallet that posts for a request object. [VP-U2]
 *
 * @param walletNonce Fresh; `checkRequest` compares it with the one in the object.
 */
export function buildRequestUriForm(walletNonce: string): string {
  return new URLSearchParams({ wallet_nonce: walletNonce }).toString()
}
