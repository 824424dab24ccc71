import type { Endpoint } from '../../../http/routes/endpoint.ts'
import { accountPages } from './account-pages.ts'
import { linkPages } from './link-pages.ts'
import { providerPages } from './provider-pages.ts'
import { signInPages } from './sign-in-pages.ts'

/** The pages of the sign-in and of the account. */
export const signInEndpoints: readonly Endpoint[] = [...signInPages, ...providerPages, ...linkPages, ...accountPages]
