import type { Api } from '../../../test/support/server.ts'
import { openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { made } from './made.ts'

const years = { from: '200101000000Z', until: '491231235959Z' }

/** Ids of what {@link makeTrust} has made. `away` is an endpoint that is switched off. */
export type Trust = Readonly<Record<'root' | 'signingRequest' | 'entity' | 'endpoint' | 'away' | 'delivery', string>>

/** Makes certificates, trusted entities and webhook endpoints of a tenant. */
export async function makeTrust(api: Api, receiver: string): Promise<Trust> {
  const about = { keyType: 'P-256', countryName: 'ZA' }
  const issuerAlternativeNameUrl = 'https://college.example'
  const root = await made(api, '/creds/certificates', { ...about, type: 'verifierRoot', issuerAlternativeNameUrl })
  const csr = await made(api, '/creds/certificates/csrs', { ...about, type: 'verifierSignRequest' })
  const tool = openssl()
  const { pem } = tool.make({
    subject: '/C=ZA/CN=Root of the University of the Cape',
    extensions: rootExtensions,
    ...years,
  })
  tool.remove()
  const entity = await made(api, '/creds/trusted-entities', {
    name: 'University of the Cape',
    issuers: ['https://uc.example/issuer'],
    purposes: ['issuer', 'verifier'],
    dids: [{ did: 'did:web:uc.example', name: 'Registrar' }],
    certificates: [pem],
  })
  const endpoint = await made(api, '/creds/endpoints', { url: receiver })
  const away = await made(api, '/creds/endpoints', { url: 'http://localhost:9/hook', filterTypes: ['user.created'] })
  await api.patch(`/creds/endpoints/${away.id}`, { status: 'disabled' })
  await api.post('/onboarding/users', { username: `heard-${endpoint.id}` })
  return {
    root: root.id,
    signingRequest: csr.id,
    entity: entity.id,
    endpoint: endpoint.id,
    away: away.id,
    delivery: await firstDelivery(api, endpoint.id),
  }
}

/** Waits for the first delivery, which the server makes by itself. */
async function firstDelivery(api: Api, endpointId: string): Promise<string> {
  for (const end = performance.now() + 15_000; performance.now() < end; ) {
    const { body } = await api.get(`/creds/endpoints/${endpointId}/deliveries`)
    if (body.data[0]?.attempts.length > 0) return body.data[0].id
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('nothing was delivered')
}
