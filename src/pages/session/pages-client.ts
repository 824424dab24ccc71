import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'

/** Client id of the pages at the platform's own authorization server. */
export const PAGES_CLIENT_ID = 'chirograph-pages'

/** Where the authorization server returns the browser to. */
export const CALLBACK_PATH = '/session/callback'
/** Where the browser is after a sign-out. */
export const SIGNED_OUT_PATH = '/'

/**
 * Returns the secret of the pages as a client. It is derived from the key of the platform, so that every process of a
 * deployment knows it and none stores it. It has the form of a secret that the server made.
 */
export async function pagesClientSecret({ sealing }: Pick<Platform, 'sealing'>): Promise<string> {
  return `chs_${(await sealing.derive(platformTenantId, 'pages client secret')).toString('base64url')}`
}
