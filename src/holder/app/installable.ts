import { type Endpoint, type EndpointContext, endpoint } from '../../http/routes/endpoint.ts'
import { asset } from '../../pages/assets.ts'
import { html } from '../../pages/html.ts'
import { appColour } from '../../pages/look/accent.ts'
import { pageEndpoint } from '../../pages/page-endpoint.ts'
import { buttonLink, message } from '../../pages/parts.ts'
import { ownTexts } from '../own/texts.ts'
import { type OrganisationFace, readFace } from './organisation-face.ts'

const OFFLINE = '/me/offline'
const ICON = '/me/icon.svg'
const MASKABLE = '/me/icon-maskable.svg'
/** The worker fetches from our own origin only. */
const WORKER_POLICY = { 'content-security-policy': "default-src 'none'; connect-src 'self'" }
const DAY = 'public, max-age=86400'

/**
 * The two waves of the cut of a chirograph.
 *
 * @param room The part of the side that stays free, so that a round mask cuts nothing off.
 */
function icon(room: number, colour: string): string {
  const width = 512 - 2 * room
  const scale = width / 32
  const top = 256 - 10 * scale
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512">
    <rect width="512" height="512" rx="${room > 100 ? 0 : 96}" fill="${colour}"/>
    <g transform="translate(${room} ${top}) scale(${scale})"
      fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round">
      <path d="M2 6q3.5-7 7 0t7 0 7 0 7 0"/>
      <path d="M2 14q3.5-7 7 0t7 0 7 0 7 0" opacity=".6"/>
    </g>
  </svg>`
}

/** The manifest, with the name and the colour of an organisation where there is one. */
const manifestOf = (face: OrganisationFace | null, colour: string, query: string) => ({
  id: '/me',
  start_url: '/me',
  scope: '/',
  display: 'standalone',
  ...(face === null
    ? { name: 'Chirograph', short_name: 'Chirograph' }
    : { name: face.name, short_name: face.name, lang: face.languages[0] }),
  background_color: '#faf9f6',
  theme_color: colour,
  icons: [
    { src: ICON + query, sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    { src: MASKABLE + query, sizes: 'any', type: 'image/svg+xml', purpose: 'maskable' },
  ],
  share_target: { action: '/open', method: 'GET', params: { title: 'title', text: 'text', url: 'url' } },
  // Browsers refuse these schemes to web pages today; the page is ready for the day.
  protocol_handlers: ['openid-credential-offer', 'openid4vp'].map((protocol) => ({ protocol, url: '/open?u=%s' })),
})

/**
 * A message never says what waits, so a click leads to the page that shows it. A window with a form in it is left
 * alone.
 */
const PUSH_SCRIPT = `
addEventListener('push', (event) => {
  let said = {}
  try {
    said = event.data.json()
  } catch {}
  const { body, lang } = said
  const message = { body, lang, icon: '${ICON}', tag: 'waits', renotify: true }
  event.waitUntil(registration.showNotification(said.title ?? 'Chirograph', message))
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(showWallet())
})

async function showWallet() {
  const windows = await clients.matchAll({ type: 'window' })
  const open = windows.find(({ url }) => new URL(url).pathname === '/me')
  if (open === undefined) return clients.openWindow('/me')
  const shown = await open.navigate('/me')
  return (shown ?? open).focus()
}
`

/**
 * Keeps the offline page, the style and the modules on the device; pages are always fetched, and never kept. The name
 * of the store changes with what it holds, so that an old one is deleted.
 */
function worker(): string {
  const files = (['pages.css', 'holder.css', 'install-app.js'] as const).map((one) => asset(one).path)
  const kept = [OFFLINE, ...files, ICON]
  const name = `chirograph ${kept.join(' ')}`
  return `${PUSH_SCRIPT}
const NAME = ${JSON.stringify(name)}
const KEPT = ${JSON.stringify(kept)}

addEventListener('install', (event) => event.waitUntil(keep()))
addEventListener('activate', (event) => event.waitUntil(deleteOthers()))

async function keep() {
  const store = await caches.open(NAME)
  await store.addAll(KEPT)
  await skipWaiting()
}

async function deleteOthers() {
  const others = (await caches.keys()).filter((name) => name !== NAME)
  await Promise.all(others.map((name) => caches.delete(name)))
  await clients.claim()
}

addEventListener('fetch', (event) => {
  const { request } = event
  const { pathname } = new URL(request.url)
  const isPage = request.mode === 'navigate' && request.method === 'GET'
  if (isPage && /^\\/(me|open|offer)(\\/|$)/.test(pathname))
    event.respondWith(fetch(request).catch(() => caches.match(KEPT[0])))
  else if (KEPT.includes(pathname) && pathname !== KEPT[0])
    event.respondWith(caches.match(pathname).then((found) => found ?? fetch(request)))
})
`
}

/** How the organisation looks that the address names, if there is one. */
async function lookOf(context: EndpointContext) {
  const { organisation } = context.query
  const face = organisation === undefined ? null : await readFace(context, organisation)
  const query = face === null ? '' : `?${String(new URLSearchParams({ organisation: face.slug }))}`
  return { face, colour: appColour(face?.accentColor ?? null), query }
}

function file(
  path: string,
  summary: string,
  type: string,
  body: (context: EndpointContext) => string | Promise<string>,
  cache = DAY,
  more: Readonly<Record<string, string>> = {},
): Endpoint {
  return endpoint({
    method: 'GET',
    path,
    summary,
    tag: 'Pages',
    hidden: true,
    accepts: 'none',
    handle: async (context) => ({
      status: 200,
      type,
      body: await body(context),
      headers: { 'cache-control': cache, 'cross-origin-resource-policy': 'same-origin', ...more },
    }),
  })
}

const offline = pageEndpoint({
  method: 'GET',
  path: OFFLINE,
  summary: 'The page that an installed wallet shows without a connection. It has nothing of a person.',
  handle: ({ language, texts }) => {
    const others = Object.entries(ownTexts).filter(([code]) => code !== language)
    const inOthers = others.map(
      ([code, t]) =>
        html`<section class="stack" lang="${code}"><h2>${t.offlineTitle}</h2>${message('note', t.offline)}</section>`,
    )
    const t = ownTexts[language]
    const again = html`<p class="buttons">${buttonLink(texts.openAgain, '/me')}</p>`
    return { page: { title: t.offlineTitle, main: html`${message('note', t.offline)}${again}${inOthers}` } }
  },
})

/** What makes the wallet installable. */
export const appEndpoints: readonly Endpoint[] = [
  file('/me/manifest.webmanifest', 'The manifest of the wallet.', 'application/manifest+json', async (context) => {
    const { face, colour, query } = await lookOf(context)
    return JSON.stringify(manifestOf(face, colour, query))
  }),
  file(
    '/worker.js',
    'The service worker: an offline page, and messages that something waits.',
    'text/javascript; charset=utf-8',
    worker,
    'no-cache',
    WORKER_POLICY,
  ),
  file(ICON, 'The icon of the wallet.', 'image/svg+xml', async (context) => icon(80, (await lookOf(context)).colour)),
  file(MASKABLE, 'The icon of the wallet, for round masks.', 'image/svg+xml', async (context) =>
    icon(130, (await lookOf(context)).colour),
  ),
  offline,
]
