import type { Endpoint } from '../http/routes/endpoint.ts'
import { checkPages } from './check-pages.ts'
import { embedPages } from './embed-pages.ts'
import { linkPages } from './link-pages.ts'
import { verifyPages } from './verify-pages.ts'

/** All pages for visitors. */
export const visitorEndpoints: readonly Endpoint[] = [...verifyPages, ...embedPages, ...linkPages, ...checkPages]
