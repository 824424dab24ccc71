import type { Stop } from '../../../test/support/page-walk.ts'
import { consoleEndpoints } from '../public-endpoints.ts'
import type { Content } from './full-content.ts'
import { NOTHING, shownPaths } from './refusals.ts'
import type { Tables } from './table-walk.ts'
import type { Trust } from './trust-content.ts'

/** What an organisation has whose pages are walked. */
export type Full = Content & Trust & Tables

/** What is no page: pieces that scripts fetch, and files. */
const noPage = /\/(latest|state|links|failed|letters|repair|problems|sample)$/

const below = (path: string, rest: readonly string[]) => rest.map((one) => ({ path: `/console/${path}${one}` }))

/** Every screen of an organisation with content. */
export function fullStops(full: Full): readonly Stop[] {
  return [...documentStops(full), ...deskStops(full), ...peopleStops(full), ...trustStops(full)]
}

function documentStops({ template, issuances, bad, long, good, unknown, batch }: Full): readonly Stop[] {
  const { valid, offered, suspended, revoked, canceled, deferred } = issuances
  const table = '/console/issue/table'
  return [
    ...['/', '/console'].map((path) => ({ path })),
    ...below('templates', ['', '/new', '/new?from=licence', '/new?from=age', `/new?copy=${template}`]),
    ...below(`templates/${template}`, ['', '/archive', '/restore']),
    ...below('credentials', ['', '?state=canceled', '?reference=nobody', '/many']),
    ...below('credentials/', Object.values(issuances)),
    ...below(`credentials/${valid}/`, ['revoke', 'suspend']),
    ...below(`credentials/${suspended}/`, ['reinstate']),
    ...below(`credentials/${offered}/`, ['remind', 'offer', 'cancel']),
    ...below(`credentials/${deferred}/`, ['approve', 'deny']),
    ...below('search', ['?q=thandi', '?q=nothing-at-all']),
    ...below('figures', ['', '?by=day']),
    ...below('issue', ['', `/${template}`, `/${template}?replaces=${valid}`]),
    ...[table, `${table}?template=${template}`, bad, `${bad}?show=all`, long, good, unknown].map((path) => ({ path })),
    ...[`${long}/who`, `${good}/who`].map((path) => ({ path })),
    ...below('batches', ['', `/${batch}`, `/${batch}?table=${batch}`, `/${batch}?by=links`, '?status=processing']),
    ...below(`batches/${batch}/`, ['remind']),
    { path: `/console/credentials/${revoked}/suspend`, send: {}, status: 400 },
    { path: `/console/credentials/${canceled}/cancel`, send: {}, status: 409 },
    { path: '/console/templates/new', send: { do: 'save', name: '', source: 'provider', claims: 'x' }, status: 400 },
    { path: `/console/templates/${template}`, send: { do: 'save', name: '' }, status: 400 },
    { path: `/console/issue/${template}`, send: { family_name: '' }, status: 400 },
    { path: `${table}?template=${template}`, send: { text: '' }, status: 400 },
    { path: unknown, send: { do: 'make', name: '' }, status: 400 },
    { path: `${good}/who`, send: { walletsColumn: 'x' }, status: 400 },
  ]
}

/** Faults in every group of the form of a request. */
const unfitting = { do: 'save', name: '', signer: 'did:web', keyType: 'Ed25519', clientId: 'x', 'claims-0': 'nothing' }

function deskStops({ template, request, page, verified, waiting }: Full): readonly Stop[] {
  return [
    ...below('requests', ['', '/new', `/new?template=${template}`, '/new?type=urn:eu:1']),
    ...below(`requests/${request}`, ['', '/archive']),
    ...below('verification-pages', ['', '/new', `/${page}`, `/${page}/delete`]),
    ...below('verify', ['', `/${verified}`, `/${waiting}`]),
    ...below('verifications', ['', '?status=expired', `/${verified}/erase`]),
    { path: `/console/requests/new?template=${template}`, send: unfitting, status: 400 },
    { path: '/console/verify', send: { template: NOTHING }, status: 404 },
  ]
}

function peopleStops({ application, secret, ...directory }: Full): readonly Stop[] {
  return [
    ...directoryStops(directory),
    ...below('people', ['', '?q=nobody', '/new', '/thandi', '/gone']),
    ...below('people/thandi/', ['invite', 'disable', 'delete']),
    ...below('people/gone/', ['enable']),
    ...below('applications', ['', '/new', `/${application}`]),
    ...below(`applications/${application}/`, ['change', 'secret', `secrets/${secret}/end`, 'delete']),
    { path: '/console/people/new', send: { email: 'nothing' }, status: 400 },
    { path: '/console/people/thandi', send: { email: 'nothing' }, status: 400 },
    { path: '/console/applications/new', send: { name: '', jwks: 'nothing' }, status: 400 },
    { path: `/console/applications/${application}/change`, send: { name: '' }, status: 400 },
  ]
}

function directoryStops({ group, provider, token }: Pick<Full, 'group' | 'provider' | 'token'>): readonly Stop[] {
  const [providers, sync] = ['/console/sign-in-providers', '/console/directory-sync']
  return [
    ...below('groups', ['', '/new', `/${group}`, `/${group}/members`]),
    ...below(`groups/${group}/`, ['delete', 'members/thandi/remove']),
    ...below('sign-in-providers', ['', '/new', `/${provider}`, `/${provider}/change`, `/${provider}/delete`]),
    ...below('directory-sync', ['', '/new', `/${token}/delete`]),
    { path: '/console/groups/new', send: { displayName: '' }, status: 400 },
    { path: `/console/groups/${group}`, send: { displayName: '' }, status: 400 },
    { path: `/console/groups/${group}/members`, send: { username: 'nobody' }, status: 400 },
    { path: `${providers}/new`, send: { name: 'A b', clientSecret: 'x', 'roles-there-0': 'staff' }, status: 400 },
    { path: `${providers}/${provider}/change`, send: { displayName: '', scopes: 'email' }, status: 400 },
    { path: `${sync}/new`, send: { name: '', expiresInDays: '0' }, status: 400 },
    { path: `${sync}/new`, send: { name: 'Okta' } },
  ]
}

function trustStops({ root, signingRequest, entity, endpoint, away, delivery }: Full): readonly Stop[] {
  const [certificates, csr] = ['/console/certificates', `/console/certificates/csrs/${signingRequest}`]
  return [
    ...below('certificates', ['', '/new', `/${root}`, '/csrs', '/csrs/new']),
    ...below(`certificates/csrs/${signingRequest}`, ['', '/import']),
    ...below(`certificates/${root}/`, ['activate', 'deactivate', 'revoke', 'sign']),
    ...below('trusted', ['', '?q=nobody', '/new', `/${entity}`, `/${entity}/delete`]),
    ...below('webhooks', ['', '/new', `/${endpoint}`, `/${endpoint}?status=dead`, `/${away}`, `/${away}/enable`]),
    ...below(`webhooks/${endpoint}/`, ['change', 'test', 'secret', 'disable', 'delete', `deliveries/${delivery}`]),
    ...below(`webhooks/${endpoint}/deliveries/${delivery}/`, ['redeliver']),
    ...below('settings', ['', '?saved=1', '/policies']),
    ...['/console/events', '/console/audit', '/session/end'].map((path) => ({ path })),
    { path: `${certificates}/new`, send: { countryName: '' }, status: 400 },
    { path: `${certificates}/csrs/new`, send: { countryName: '' }, status: 400 },
    { path: csr, send: { certificate: 'nothing' }, status: 400 },
    { path: `${certificates}/${root}/sign`, send: {}, status: 400 },
    { path: '/console/trusted/new', send: { name: '', certificates: 'nothing' }, status: 400 },
    { path: `/console/trusted/${entity}`, send: { name: '' }, status: 400 },
    { path: '/console/webhooks/new', send: { url: 'nothing' }, status: 400 },
    { path: `/console/webhooks/${endpoint}/change`, send: { url: 'nothing' }, status: 400 },
    { path: '/console/settings', send: { accentColor: '#9ec5ff' }, status: 400 },
    { path: '/console/settings/policies', send: { registeredVerifiers: '[{' }, status: 400 },
  ]
}

/** Every page whose address names something, for an id of nothing. */
export const missingStops: readonly Stop[] = shownPaths
  .filter((path) => path.includes(NOTHING) && !noPage.test(path))
  .map((path) => ({ path, status: 404 }))

/** Every list and form of an organisation that has nothing yet. */
export const emptyStops: readonly Stop[] = shownPaths
  .filter((path) => !path.includes(NOTHING) && !noPage.test(path) && !path.endsWith('/many'))
  .map((path) => ({ path }))

/** Pages without an id that are shown while the API is away: with what they have, or they need none of it. */
export const shownWithoutApi: ReadonlySet<string> = new Set([
  '/console',
  '/console/search',
  '/console/templates/new',
  '/console/people/new',
  '/console/applications/new',
  '/console/certificates/new',
  '/console/certificates/csrs/new',
  '/console/trusted/new',
  '/console/webhooks/new',
  '/console/groups/new',
  '/console/sign-in-providers/new',
])

/** Every list and form of an organisation whose API answers 503. */
export const awayStops: readonly Stop[] = emptyStops.map(({ path }) =>
  shownWithoutApi.has(path) ? { path } : { path, status: 503 },
)

/** Patterns of the pages of the console that no stop visits. */
export function unvisited(stops: readonly Stop[]): readonly string[] {
  const pages = consoleEndpoints.filter(({ method, path }) => method === 'GET' && !noPage.test(path))
  const visited = stops.map(({ path }) => path.split('?', 1)[0] ?? '')
  const rest = pages.filter(({ path }) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    // `/console/people/new` is not the page of a person called new.
    const own = pages
      .filter(({ path: other }) => other !== path && !other.includes('{'))
      .map(({ path: other }) => other)
    return !visited.some((one) => pattern.test(one) && !own.includes(one))
  })
  return rest.map(({ path }) => path)
}
