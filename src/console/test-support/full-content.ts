import assert from 'node:assert/strict'
import type { Api, Deployment } from '../../../test/support/server.ts'
import { made } from './made.ts'

/** Ids of what {@link makeContent} has made. */
export type Content = {
  readonly template: string
  /** Of issuances, by the state that they are in. */
  readonly issuances: Readonly<Record<'valid' | 'offered' | 'suspended' | 'revoked' | 'canceled' | 'deferred', string>>
  readonly request: string
  /** Presentation requests: verified, with claims that are kept, and one that waits. */
  readonly verified: string
  readonly waiting: string
  /** A verification page with everything that one can have. */
  readonly page: string
  readonly application: string
  /** A secret of the application. */
  readonly secret: string
  /** A token of the application for directory sync. */
  readonly token: string
  /** A sign-in provider with everything that one can have. */
  readonly provider: string
  /** A group with a member, thandi. */
  readonly group: string
}

const attributes = {
  family_name: { type: 'string', name: 'Family name', required: true },
  given_name: { type: 'string', name: 'Given name', required: true },
  degree: { type: 'string', name: 'Degree', required: true },
  awarded_on: { type: 'date', name: 'Awarded on' },
  grade: { type: 'number', name: 'Grade' },
}
const claims = { family_name: 'Molefe', given_name: 'Thandi', degree: 'BSc Computer Science', grade: 78.5 }

/** Makes templates, credentials in every state, requests with results, and an application of the tenant acme. */
export async function makeContent(chirograph: Pick<Deployment, 'wallet'>, acme: Api): Promise<Content> {
  const wallet = await chirograph.wallet('acme', 'thandi')
  const display = { name: 'Diploma', locale: 'en', backgroundColor: '#1f2d4a', textColor: '#ffffff' }
  const diploma = { name: 'Diploma', code: 'diploma', attributes, display }
  const { id: template, type } = await made(acme, '/creds/templates/credentials', diploma)
  const checked = { ...diploma, name: 'Diploma after a check', code: 'checked', approvalRequired: true }
  const { id: slow } = await made(acme, '/creds/templates/credentials', checked)
  const issue = (credentialTemplateId = template, reference = 'student-1') =>
    made(acme, '/creds/credentials/issuance', { credentialTemplateId, attributes: claims, reference })
  const take = async (issuance: { readonly offerUri: string }) => {
    const received = await wallet.post('/wallet/v2/credentials', { credentialOffer: issuance.offerUri })
    assert.equal(received.status, 201, JSON.stringify(received.body))
    return received.body.data
  }
  const [valid, suspended, revoked] = [await issue(), await issue(), await issue()]
  for (const one of [valid, suspended, revoked]) {
    const [card] = await take(one)
    await wallet.patch(`/wallet/v2/credentials/${card.id}`, { status: 'accepted' })
  }
  await change(acme, suspended.id, 'suspend')
  await change(acme, revoked.id, 'revoke')
  const canceled = await issue()
  assert.equal((await acme.delete(`/creds/credentials/${canceled.id}`)).status, 200)
  const deferred = await issue(slow)
  await take(deferred)
  const offered = await issue(template, 'student-2')
  const client = await made(acme, '/onboarding/clients', {
    name: 'Registry',
    scopes: ['issuance:write'],
    postLogoutRedirectUris: ['https://registry.example/out'],
  })
  const [application, secret] = [client.clientId, client.secrets[0].id]
  return {
    template,
    application,
    secret,
    ...(await makeChecks(acme, wallet, type)),
    ...(await makeDirectory(acme, application)),
    issuances: {
      valid: valid.id,
      suspended: suspended.id,
      revoked: revoked.id,
      canceled: canceled.id,
      deferred: deferred.id,
      offered: offered.id,
    },
  }
}

async function makeChecks(acme: Api, wallet: Api, type: string) {
  const { id: request } = await made(acme, '/creds/templates/presentations', {
    name: 'Proof of a degree',
    description: '',
    retentionSeconds: 86_400,
    credentials: [{ type, attributes: { degree: {}, grade: {} }, claimSets: [['degree', 'grade'], ['degree']] }],
    verifierConfig: {
      purpose: 'To check the degree you gave in your application.',
      responseMode: 'direct_post.jwt',
      verifierInfo: [{ format: 'registration_cert', data: 'eyJ4NWMiOltdfQ'.repeat(20) }],
    },
  })
  const ask = () => made(acme, '/creds/presentations/request', { presentationTemplateId: request })
  const verified = await ask()
  const asked = { presentationRequest: verified.authorizationRequestUri }
  const prepared = await made(wallet, '/wallet/v2/presentations', asked)
  const answered = await wallet.patch(`/wallet/v2/presentations/${prepared.id}`, { status: 'answered' })
  assert.equal(answered.status, 200, JSON.stringify(answered.body))
  const { id: page } = await made(acme, '/creds/verification-pages', {
    name: `Student discount ${'long'.repeat(20)}`,
    presentationTemplateId: request,
    origins: ['https://shop.example.org'],
    heading: 'Show <b>your</b> card',
    explanation: 'You get a tenth off.',
    visitorSees: 'receipt',
  })
  return { request, page, verified: verified.id, waiting: (await ask()).id }
}

/** What keeps people and their sign-in: a provider, a group and a token. */
async function makeDirectory(acme: Api, clientId: string) {
  // A tenant may have several contents, and a provider has a name of its own.
  const own = clientId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(-12)
  const { id: organisation } = (await acme.get('/onboarding/me')).body.data.organisation
  const { id: provider } = await made(acme, '/onboarding/identity-providers', {
    name: `campus-${own}`,
    displayName: 'Campus account',
    clientId: 'chirograph',
    issuer: 'https://login.campus.example/v2.0',
    clientSecret: 'the-secret-at-the-provider',
    scopes: ['openid', 'profile'],
    createsUsers: true,
    acceptTokens: true,
    audience: `api://chirograph-${own}/${organisation}`,
    claims: { username: 'upn', email: 'mail', roles: '/realm_access/roles', externalIdentifier: 'oid' },
    roles: { registrar: ['issuer', 'verifier'], 'everyone-else': [] },
  })
  const { id: group } = await made(acme, '/onboarding/groups', { displayName: 'Registrars', roles: ['issuer'] })
  assert.equal((await acme.put(`/onboarding/groups/${group}/members/thandi`, undefined)).status, 204)
  const token = await made(acme, '/onboarding/scim-tokens', { clientId, name: 'Entra ID', expiresInDays: 365 })
  return { provider, group, token: token.id }
}

async function change(acme: Api, issuance: string, to: 'suspend' | 'revoke'): Promise<void> {
  const { body } = await acme.get(`/creds/credentials/${issuance}`)
  const ids = body.data.credentials.map(({ id }: { id: string }) => id)
  const done = await acme.post(`/creds/credentials/${to}`, { ids })
  assert.equal(done.status, 200, JSON.stringify(done.body))
}
