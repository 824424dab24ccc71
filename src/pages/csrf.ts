import type { IncomingHttpHeaders } from 'node:http'
import { toBase64url } from '../crypto/base64url.ts'
import { equalInConstantTime, hmacSha256 } from '../crypto/digest.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { platformTenantId } from '../store/store.ts'

/** Where a form comes from. `binding`: see {@link formToken}; null for a browser without a cookie. */
export type FormOrigin = { readonly publicUrl: string; readonly key: Uint8Array; readonly binding: string | null }

/** The key of the form tokens; the same in every process of a deployment. */
export function csrfKey({ sealing }: Pick<Platform, 'sealing'>): Promise<Buffer> {
  return sealing.derive(platformTenantId, 'pages form token')
}

/**
 * Returns the token of a form. It is valid for this browser session and this path only.
 *
 * @param binding Value of the session cookie, or before sign-in of the visit cookie. Both are unguessable and change at
 *   sign-in and sign-out.
 * @param action Path of the form; its query is not bound.
 */
export function formToken(key: Uint8Array, binding: string, action: string): string {
  const [path = ''] = action.split('?', 1)
  return toBase64url(hmacSha256(key, `${binding}\n${path}`))
}

/**
 * Refuses a form that another website made a browser send. [SEC-76]
 *
 * @throws Fault `form.foreign` for another origin, `form.stale` without the token of this session and form
 * @see [Fetch Metadata, 2.4](https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header)
 */
export function checkForm(
  { publicUrl, key, binding }: FormOrigin,
  headers: IncomingHttpHeaders,
  path: string,
  token: string | undefined,
): void {
  checkOrigin(publicUrl, headers)
  if (binding === null || token === undefined) throw new Fault('form.stale')
  if (!equalInConstantTime(token, formToken(key, binding, path))) throw new Fault('form.stale')
}

/** Refuses a form that another website made a browser send. @throws Fault `form.foreign` */
export function checkOrigin(publicUrl: string, headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined ? headers.origin === publicUrl : site === 'same-origin'
  if (!isOwn) throw new Fault('form.foreign')
}
