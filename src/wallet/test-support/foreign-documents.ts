import type { CodeOptions } from './code-server.ts'
import { foreignDocType, foreignNameSpace } from './foreign-mdoc.ts'
import { foreignVct } from './foreign-signer.ts'

/** The configurations of the foreign issuer: an SD-JWT VC and an mdoc. */
type Configured = 'membership' | 'licence'

/** `offers`: which of its configurations, `membership` by default. */
export type OfferOptions = {
  readonly txCode?: string
  readonly offers?: readonly Configured[]
  /** Its offers require sign-in. */
  readonly code?: CodeOptions
}

/** Returns the offer of an issuer. @param server Its authorization server */
export function offerOf(
  issuer: string,
  server: string,
  { txCode, code, offers = ['membership'] }: OfferOptions,
): object {
  const named = { credential_issuer: issuer, credential_configuration_ids: offers }
  if (code !== undefined)
    return { ...named, grants: { authorization_code: { issuer_state: 'the-state', authorization_server: server } } }
  const grant = {
    'pre-authorized_code': 'the-code',
    authorization_server: server,
    ...(txCode === undefined ? {} : { tx_code: { length: txCode.length, description: 'By mail' } }),
  }
  const grants = { 'urn:ietf:params:oauth:grant-type:pre-authorized_code': grant }
  return { credential_issuer: issuer, credential_configuration_ids: offers, grants }
}

/** Returns the metadata of the issuer, with members that a wallet does not know. */
export function metadataOf(issuer: string, server: string, batchSize: number | undefined): object {
  return {
    credential_issuer: issuer,
    authorization_servers: [server],
    credential_endpoint: `${issuer}/give`,
    nonce_endpoint: `${issuer}/fresh`,
    notification_endpoint: `${issuer}/heard`,
    deferred_credential_endpoint: `${issuer}/later`,
    ...(batchSize === undefined ? {} : { batch_credential_issuance: { batch_size: batchSize } }),
    credential_configurations_supported: {
      membership: {
        format: 'dc+sd-jwt',
        vct: foreignVct,
        scope: 'membership',
        cryptographic_binding_methods_supported: ['jwk'],
        proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES384', 'ES256'] } },
        credential_metadata: { display: [{ name: 'Membership', locale: 'en' }] },
      },
      licence: {
        format: 'mso_mdoc',
        doctype: foreignDocType,
        cryptographic_binding_methods_supported: ['cose_key'],
        proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
        credential_metadata: { display: [{ name: 'Licence' }], claims: [{ path: [foreignNameSpace, 'family_name'] }] },
      },
    },
    unknown_member: true,
  }
}

/** Returns the metadata of its authorization server, which has no code flow. */
export function serverMetadataOf(server: string): object {
  return {
    issuer: server,
    token_endpoint: `${server}/t`,
    authorization_endpoint: `${server}/authorize`,
    grant_types_supported: ['urn:ietf:params:oauth:grant-type:pre-authorized_code'],
    'pre-authorized_grant_anonymous_access_supported': true,
  }
}
