import { Fault } from '../../fault.ts'

/**
 * The form body of a wallet that posts for a request object. [VP-U2]
 *
 * @param walletNonce Fresh; `checkRequest` compares it with the object's.
 */
export function buildRequestUriForm(walletNonce: string): string {
  return new URLSearchParams({ wallet_nonce: walletNonce }).toString()
}

/**
 * The nonce that a wallet posted, to be put into the request object; null if it sent none. `wallet_metadata` is not read.
 *
 * @throws Fault `request.invalid`
 * @see [OpenID4VP 1.0, 5.10](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-request-uri-method-post)
 */
export function readWalletNonce(form: Readonly<Record<string, unknown>>): string | null {
  const { wallet_nonce: nonce } = form
  if (nonce === undefined) return null
  if (typeof nonce !== 'string' || !/^[\x21-\x7E]{1,512}$/.test(nonce)) {
    throw new Fault('request.invalid', { detail: 'wallet_nonce is not 1 to 512 printable ASCII characters.' })
  }
  return nonce
}
