import assert from 'node:assert/strict'
import { examplePushSubscription } from '../../src/contract/wallet/push-subscriptions.ts'
import { foreignIssuer } from '../../src/wallet/test-support/foreign-issuer.ts'
import type { Api, Deployment } from './server.ts'

/** A template with one required claim and one that is not. */
export const badge = {
  name: 'Badge',
  attributes: { name: { type: 'string', required: true }, level: { type: 'number' } },
}

/**
 * One object of each kind, all of the tenant acme and, in the wallet, of Thandi. Ids by the collection that they live
 * in.
 */
export type Objects = { readonly [collection: string]: string }

/** Creates a template. @returns its id and type. */
export async function makeTemplate(
  school: Api,
  code: string,
  more: object = {},
): Promise<{ id: string; type: string }> {
  const made = await school.post('/creds/templates/credentials', { ...badge, code, ...more })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

/** Opens an issuance. */
export async function openIssuance(school: Api, credentialTemplateId: string) {
  const attributes = { name: 'Thandi', level: 3 }
  const opened = await school.post('/creds/credentials/issuance', { credentialTemplateId, attributes })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  return opened.body.data
}

async function acceptBatch(school: Api, credentialTemplateId: string): Promise<string> {
  const items = [{ attributes: { name: 'Thandi' } }, { attributes: {} }, { attributes: { name: 'Pieter' } }]
  const accepted = await school.post('/creds/credentials/issuance/batch', { credentialTemplateId, items })
  assert.equal(accepted.status, 202, JSON.stringify(accepted.body))
  return accepted.body.data.id
}

/** Creates an issuance session at an issuer that is gone afterwards. */
async function makeSession(thandi: Api): Promise<string> {
  const club = await foreignIssuer({ code: {} })
  try {
    return await idOfNew(thandi, '/wallet/v2/issuance-sessions', { credentialOffer: club.offerUri })
  } finally {
    await club.close()
  }
}

/**
 * Goes through the main job up to a prepared presentation, all in acme, and tells the id of everything that came to be.
 */
export async function makeEverything(chirograph: Deployment): Promise<Objects> {
  const school = await chirograph.backend('acme')
  const thandi = await chirograph.wallet('acme', 'thandi')
  const template = await makeTemplate(school, 'everything')
  const issuance = await openIssuance(school, template.id)
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: issuance.offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  const credential = received.body.data[0].id
  await thandi.patch(`/wallet/v2/credentials/${credential}`, { status: 'accepted' })
  const credentials = [{ type: template.type, attributes: { name: {} } }]
  const asked = await school.post('/creds/templates/presentations', { name: 'Who', description: 'Name', credentials })
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  const presentationTemplateId = asked.body.data.id
  const request = await school.post('/creds/presentations/request', { presentationTemplateId })
  assert.equal(request.status, 200, JSON.stringify(request.body))
  const presentationRequest = request.body.data.authorizationRequestUri
  const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  const trusted = await school.post('/creds/trusted-entities', {
    name: 'Registrar',
    dids: [{ did: 'did:web:uc.example' }],
  })
  assert.equal(trusted.status, 201, JSON.stringify(trusted.body))
  const bound = { credentialOffer: (await openIssuance(school, template.id)).offerUri, recipient: 'thandi@example.org' }
  const delivered = await school.post('/wallet/v2/orgs/credentials', bound)
  assert.equal(delivered.status, 201, JSON.stringify(delivered.body))
  const client = await makeClient(school)
  const shared = { claims: [], recipient: 'Globex', purpose: 'My application' }
  const page = { name: 'Student discount', presentationTemplateId }
  const provider = { name: 'entra', issuer: 'https://login.example/v2.0', clientId: 'chirograph' }
  return {
    ...(await makeCertificates(school)),
    '/wallet/v2/orgs/deliveries': delivered.body.data.id,
    '/creds/trusted-entities': trusted.body.data.id,
    '/creds/templates/credentials': template.id,
    '/creds/credentials': (await openIssuance(school, template.id)).id,
    '/creds/credentials/issuance': (await openIssuance(school, template.id)).id,
    '/creds/credentials/issuance/batch': await acceptBatch(school, template.id),
    '/creds/endpoints': await makeEndpoint(school),
    '/creds/templates/presentations': presentationTemplateId,
    '/creds/verification-pages': await idOfNew(school, '/creds/verification-pages', page),
    '/creds/presentations': request.body.data.id,
    '/wallet/v2/credentials': credential,
    '/wallet/credentials': credential,
    '/wallet/v2/presentations': prepared.body.data.id,
    '/wallet/v2/issuance-sessions': await makeSession(thandi),
    '/wallet/v2/push-subscriptions': await idOfNew(thandi, '/wallet/v2/push-subscriptions', examplePushSubscription),
    '/wallet/v2/shared-links': await idOfNew(thandi, '/wallet/v2/shared-links', {
      credentialId: credential,
      ...shared,
    }),
    '/onboarding/clients': client,
    '/onboarding/tenants': 'acme',
    '/onboarding/identity-providers': await idOfNew(school, '/onboarding/identity-providers', provider),
    '/onboarding/groups': await idOfNew(school, '/onboarding/groups', { displayName: 'Registrars' }),
    '/onboarding/scim-tokens': await idOfNew(school, '/onboarding/scim-tokens', { clientId: client, name: 'Entra' }),
    '/onboarding/users': 'thandi',
    '/onboarding/users/by-external-identifier': encodeURIComponent('EXT/1+a@é'),
  }
}

async function makeClient(school: Api): Promise<string> {
  const made = await school.post('/onboarding/clients', { name: 'Registry', roles: ['issuer'] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.clientId
}

async function idOfNew(school: Api, path: string, body: object): Promise<string> {
  const made = await school.post(path, body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.id
}

/** A root and a signing request. Of readers, so that nothing of the main job is signed with them. */
async function makeCertificates(school: Api): Promise<Objects> {
  const about = { keyType: 'Ed25519', countryName: 'ZA' }
  const issuerAlternativeNameUrl = 'https://college.example'
  const root = await school.post('/creds/certificates', { ...about, type: 'verifierRoot', issuerAlternativeNameUrl })
  assert.equal(root.status, 201, JSON.stringify(root.body))
  const csr = await school.post('/creds/certificates/csrs', { ...about, type: 'verifierSignRequest' })
  assert.equal(csr.status, 201, JSON.stringify(csr.body))
  return { '/creds/certificates': root.body.data.id, '/creds/certificates/csrs': csr.body.data.id }
}

/** At an address where no server listens. */
async function makeEndpoint(school: Api): Promise<string> {
  const made = await school.post('/creds/endpoints', { url: 'http://localhost:9/hook', filterTypes: ['user.created'] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.id
}
