import type { BrowserContextOptions } from 'playwright-core'

/** Lists and pages of an organisation that has nothing yet. */
export const emptyPaths = [
  '/console',
  '/console/templates',
  '/console/credentials',
  '/console/issue',
  '/console/issue/table',
  '/console/batches',
  '/console/requests',
  '/console/verify',
  '/console/verifications',
  '/console/verification-pages',
  '/console/verification-pages/new',
  '/console/search',
  '/console/applications',
  // A role that reads, and one that is missing.
  ...['/console/certificates', '/console/trusted', '/console/settings', '/console/webhooks'],
]

/** How each screen is looked at. */
export const looks: readonly (BrowserContextOptions & { readonly name: string; readonly language: string })[] = [
  { name: 'wide', language: 'en', colorScheme: 'light', javaScriptEnabled: true },
  {
    name: 'narrow',
    language: 'fr',
    colorScheme: 'dark',
    javaScriptEnabled: true,
    viewport: { width: 320, height: 640 },
  },
  {
    name: 'narrow-plain',
    language: 'en',
    colorScheme: 'light',
    javaScriptEnabled: false,
    viewport: { width: 320, height: 640 },
  },
  { name: 'wide-plain', language: 'fr', colorScheme: 'dark', javaScriptEnabled: false },
]
