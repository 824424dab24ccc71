import assert from 'node:assert/strict'
import type { Api } from '../../../test/support/server.ts'
import { type Openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { hostileNames } from './hostile-names.ts'

const years = { from: '200101000000Z', until: '491231235959Z' }
const text = { type: 'string', name: 'Name', description: 'Text' }
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** What lists show, with every text that their API takes; behind a `#` another body for the same list. */
const bodies: Readonly<Record<string, (ids: Ids) => object>> = {
  '/creds/templates/credentials': () => ({
    name: 'x',
    code: 'x',
    txCode: { description: 'x' },
    label: ['/a'],
    attributes: { a: text, b: { ...text, type: 'object', properties: { c: text } }, d: { type: 'array', items: text } },
    display: {
      name: 'x',
      locale: 'en',
      translations: [{ locale: 'fr', name: 'x', description: 'x' }],
      logo: { uri: SVG, altText: 'x' },
      backgroundImage: { uri: SVG },
    },
  }),
  '/creds/templates/credentials#mdoc': () => ({
    name: 'x',
    code: 'x',
    format: 'mdoc',
    docType: 'org.example.card.1',
    label: ['/org.example.card/a'],
    attributes: { 'org.example.card': { a: text } },
    validUntil: { future: { years: 1 } },
    display: { name: 'x', locale: 'en' },
  }),
  '/creds/templates/presentations': ({ type }) => ({
    name: 'x',
    description: 'x',
    verifierConfig: { purpose: 'x' },
    credentials: [{ type, attributes: { degree: {} } }],
  }),
  '/creds/credentials/issuance': ({ template }) => ({ credentialTemplateId: template, reference: 'x', attributes }),
  '/creds/credentials/issuance/batch': ({ template }) => ({
    credentialTemplateId: template,
    name: 'x',
    items: [
      { attributes: {}, reference: 'x' },
      { attributes: {}, replaces: { reference: 'x' } },
    ],
  }),
  '/creds/presentations/request': ({ request }) => ({ presentationTemplateId: request, reference: 'x' }),
  '/creds/verification-pages': ({ request }) => ({
    name: 'x',
    presentationTemplateId: request,
    heading: 'x',
    explanation: 'x',
    origins: ['https://shop.example.org'],
    redirectUri: 'https://shop.example.org/back',
  }),
  '/creds/certificates/csrs': () => ({ type: 'verifierSignRequest', keyType: 'Ed25519', countryName: 'ZA' }),
  '/creds/certificates': () => ({
    type: 'verifierRoot',
    keyType: 'Ed25519',
    countryName: 'ZA',
    commonName: 'x',
    issuerAlternativeNameUrl: 'https://college.example',
  }),
  '/creds/endpoints': ({ receiver }) => ({ url: receiver, filterTypes: ['user.deleted'] }),
  '/onboarding/users': () => ({ username: 'x', firstName: 'x', lastName: 'x', externalIdentifier: 'x' }),
  '/onboarding/groups': () => ({ displayName: 'x', roles: ['auditor'] }),
  '/onboarding/scim-tokens': () => ({ clientId: 'acme-backend', name: 'x' }),
  '/onboarding/identity-providers': ({ provider }) => ({
    name: provider,
    displayName: 'x',
    issuer: 'https://login.example',
    clientId: 'x',
    scopes: ['x'],
    claims: { username: 'x', email: 'x', roles: 'x', externalIdentifier: 'x' },
    roles: { x: ['issuer'] },
  }),
  '/onboarding/clients': () => ({
    name: 'x',
    scopes: ['audit:read'],
    grantTypes: ['client_credentials', 'authorization_code'],
    redirectUris: ['https://app.example/back'],
  }),
}
const attributes = { family_name: 'Molefe', given_name: 'Thandi', degree: 'BSc' }

/** A picture that would run a script and reach another origin, were it not shown as a picture. */
export const SVG = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="top.document.title=1"><script>top.document.title="owned"</script><image href="https://evil.example/x.png"/></svg>').toString('base64')}`

/** Ids that the rows need, the address of a receiver, and a short name that no provider has. */
export type Ids = Readonly<Record<'template' | 'request' | 'type' | 'receiver' | 'provider', string>>

/**
 * Makes a row of each list.
 *
 * @param api Of `hostileApi`.
 * @param without Lists that get none.
 * @returns the paths of their pages
 */
export async function makeRows(api: Api, ids: Ids, without: readonly string[]): Promise<readonly string[]> {
  const paths: string[] = []
  for (const [name, bodyFor] of Object.entries(bodies)) {
    const [path = ''] = name.split('#', 1)
    if (without.includes(path)) continue
    const { status, body } = await api.post(path, bodyFor(ids))
    assert(status >= 200 && status < 300, `${path} ${JSON.stringify(body)}`)
    const { id, username, clientId } = body.data
    const at = pages[path]
    if (at !== undefined) paths.push(`${at}/${encodeURIComponent(username ?? clientId ?? id)}`)
  }
  return paths
}

const pages: Readonly<Record<string, string>> = {
  '/creds/templates/credentials': '/console/templates',
  '/creds/templates/presentations': '/console/requests',
  '/creds/credentials/issuance': '/console/credentials',
  '/creds/credentials/issuance/batch': '/console/batches',
  '/creds/presentations/request': '/console/verify',
  '/creds/verification-pages': '/console/verification-pages',
  '/creds/certificates/csrs': '/console/certificates/csrs',
  '/creds/certificates': '/console/certificates',
  '/creds/endpoints': '/console/webhooks',
  '/onboarding/users': '/console/people',
  '/onboarding/clients': '/console/applications',
  '/onboarding/groups': '/console/groups',
  '/onboarding/identity-providers': '/console/sign-in-providers',
}

/** Makes a trusted entity whose certificate names its subject so. @returns the path of its page */
export async function makeEntity(api: Api, tool: Openssl, name: string, at: number): Promise<string> {
  // Counted in bytes by openssl, 64 at most.
  const common = Buffer.from(name.replaceAll(/[\p{Cc}\p{Cs}/+="\\]/gu, ' '))
    .subarray(0, 60)
    .toString()
    .replaceAll('\ufffd', '')
  const { pem } = tool.make({ subject: `/C=ZA/CN=${common}`, extensions: rootExtensions, ...years })
  const about = { name: 'x', dids: [{ did: `did:web:a${at}.example`, name: 'x' }], issuers: ['https://uc.example/i'] }
  const { status, body } = await api.post('/creds/trusted-entities', { ...about, certificates: [pem] })
  assert.equal(status, 201, JSON.stringify(body))
  return `/console/trusted/${body.data.id}`
}

/** Lets an identity system make a person with these names. @param token Of SCIM. @returns the path of their page */
export async function makeByScim(api: Api, kind: string, name: string): Promise<string> {
  const plain = name.replaceAll(/[\0\p{Cs}]/gu, '')
  const userName = `scim ${kind} ${plain}`.slice(0, 250)
  const names = { givenName: plain, familyName: plain }
  const { status, body } = await api.send(
    'POST',
    '/onboarding/scim/v2/Users',
    JSON.stringify({ schemas: [USER], userName, displayName: plain, name: names, active: true }),
    { 'content-type': 'application/scim+json' },
  )
  assert.equal(status, 201, JSON.stringify(body))
  return `/console/people/${encodeURIComponent(userName)}`
}

/**
 * A table whose heads and cells are the names of strangers, behind those that the template knows.
 *
 * @param isBad Whether a row lacks what it needs
 */
export function hostileTable(isBad: boolean): string {
  // A text with control characters is no table.
  const texts = Object.values(hostileNames).map((one) => one.replaceAll(/[^\P{Cc}\n\t]/gu, ''))
  const quoted = (cells: readonly string[]) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(';')
  const rows = texts.map((one) => [one, one, isBad ? '' : one, '', '', one, ...texts])
  const heads = ['Family name', 'Given name', 'Degree', 'Awarded on', 'Grade', 'Reference', ...texts]
  return [heads, ...rows].map(quoted).join('\r\n')
}
