import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, Kms, X509Certificate } from '@credo-ts/core'
import { type OpenId4VciCredentialRequestToCredentialMapper, OpenId4VcModule } from '@credo-ts/openid4vc'
import express, { type Express } from 'express'
import {
  foreignDocType,
  foreignLeaf,
  foreignNameSpace,
  foreignRootDer,
} from '../../src/wallet/test-support/foreign-mdoc.ts'
import type { CredoFormat, CredoPeer } from '../../test/support/credo-peer.ts'
import { CredoKeys } from './credo-keys.ts'
import { credoRecords } from './credo-records.ts'

/** What its credentials state. */
const credoClaims = { family_name: 'Jansen', height: 178, issuing_country: 'NL' }
const vct = 'https://credo.example/student'
const names = { 'dc+sd-jwt': 'student', mso_mdoc: 'licence' } as const
const proofs = { proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } } }
const configurations = {
  student: { format: 'dc+sd-jwt', vct, cryptographic_binding_methods_supported: ['jwk'], ...proofs },
  licence: {
    ...{ format: 'mso_mdoc', doctype: foreignDocType },
    ...{ cryptographic_binding_methods_supported: ['cose_key'], ...proofs },
  },
}

/** An issuer and a verifier of Credo on a loopback port, in both formats. */
class CredoAgent implements CredoPeer {
  readonly #agent: ReturnType<typeof agentOn>
  readonly #didUrl: string
  readonly #stop: () => Promise<void>

  private constructor(agent: ReturnType<typeof agentOn>, didUrl: string, stop: () => Promise<void>) {
    this.#agent = agent
    this.#didUrl = didUrl
    this.#stop = stop
  }

  static async open(): Promise<CredoAgent> {
    const app = express()
    const server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const signer: Signer = { didUrl: '', certificate: null }
    const agent = agentOn(app, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, signer)
    await agent.initialize()
    agent.x509.config.setTrustedCertificates([Buffer.from(foreignRootDer).toString('base64')])
    const options = { createKey: { type: { kty: 'EC', crv: 'P-256' } } }
    const { didState } = await agent.dids.create({ method: 'jwk', options } as never)
    signer.didUrl = `${didState.did}#0`
    const { keyId } = await agent.kms.importKey({ privateJwk: foreignLeaf.jwk })
    signer.certificate = X509Certificate.fromRawCertificate(new Uint8Array(foreignLeaf.der))
    signer.certificate.keyId = keyId
    await agent.openid4vc.issuer.createIssuer({
      issuerId: 'school',
      credentialConfigurationsSupported: configurations as never,
    })
    await agent.openid4vc.verifier.createVerifier({ verifierId: 'shop', clientMetadata: { client_name: 'Shop' } })
    return new CredoAgent(agent, signer.didUrl, async () => {
      await agent.shutdown()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
  }

  async offer(format: CredoFormat): Promise<string> {
    const made = await this.#agent.openid4vc.issuer.createCredentialOffer({
      ...{ issuerId: 'school', credentialConfigurationIds: [names[format]], preAuthorizedCodeFlowConfig: {} },
    })
    return made.credentialOffer
  }

  async request(format: CredoFormat): Promise<{ readonly link: string; readonly id: string }> {
    const query = {
      id: 'card',
      ...(format === 'dc+sd-jwt'
        ? { format, meta: { vct_values: [vct] as [string] }, claims: [{ path: ['height'] }] }
        : { format, meta: { doctype_value: foreignDocType }, claims: [{ path: [foreignNameSpace, 'height'] }] }),
    }
    const made = await this.#agent.openid4vc.verifier.createAuthorizationRequest({
      ...{
        verifierId: 'shop',
        requestSigner: { method: 'did', didUrl: this.#didUrl },
        responseMode: 'direct_post.jwt',
      },
      dcql: { query: { credentials: [query] } as never },
    })
    return { link: made.authorizationRequest, id: made.verificationSession.id }
  }

  async verified(id: string): Promise<unknown> {
    const { dcql } = await this.#agent.openid4vc.verifier.getVerifiedAuthorizationResponse(id)
    const [presentation] = dcql?.presentations.card ?? []
    assert.ok(presentation !== undefined)
    if ('documents' in presentation) return presentation.documents[0]?.issuerSignedNamespaces[foreignNameSpace]
    assert.ok('prettyClaims' in presentation)
    const { iss: _, iat: __, vct: ___, cnf: ____, ...claims } = Object(presentation.prettyClaims)
    return claims
  }

  close(): Promise<void> {
    return this.#stop()
  }
}

type Signer = { didUrl: string; certificate: X509Certificate | null }

function agentOn(app: Express, base: string, signer: Signer) {
  const nothing = class {} as never
  return new Agent({
    config: { allowInsecureHttpUrls: true, autoUpdateStorageOnStartup: true },
    dependencies: { FileSystem: nothing, EventEmitterClass: EventEmitter, fetch, WebSocketClass: nothing },
    modules: {
      records: credoRecords,
      kms: new Kms.KeyManagementModule({ backends: [new CredoKeys()] }),
      openid4vc: new OpenId4VcModule({
        app,
        issuer: { baseUrl: `${base}/issuer`, credentialRequestToCredentialMapper: (asked) => signed(asked, signer) },
        verifier: { baseUrl: `${base}/verifier` },
      }),
    },
  })
}

/** What Credo signs for the keys that a wallet proved. */
function signed(
  { holderBinding, credentialConfigurationId }: Parameters<OpenId4VciCredentialRequestToCredentialMapper>[0],
  { didUrl, certificate }: Signer,
): ReturnType<OpenId4VciCredentialRequestToCredentialMapper> {
  const keys = holderBinding.keys.map(({ jwk }) => jwk)
  if (credentialConfigurationId === names['dc+sd-jwt']) {
    const disclosureFrame = { _sd: Object.keys(credoClaims) }
    const common = { payload: { vct, ...credoClaims }, issuer: { method: 'did', didUrl } as const, disclosureFrame }
    const credentials = keys.map((jwk) => ({ ...common, holder: { method: 'jwk', jwk } as const }))
    return { type: 'credentials', format: 'dc+sd-jwt', credentials }
  }
  assert.ok(certificate !== null)
  const common = { docType: foreignDocType, issuerCertificate: certificate }
  const namespaces = { [foreignNameSpace]: credoClaims }
  const credentials = keys.map((holderKey) => ({ ...common, namespaces, holderKey }))
  return { type: 'credentials', format: 'mso_mdoc', credentials }
}

/** Starts the agent. */
export const openCredo = (): Promise<CredoPeer> => CredoAgent.open()
