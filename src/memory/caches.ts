/**
 * `ttlSeconds`: how long an entry is kept at most. `entriesMax` or `bytesMax`: the bound, beyond which the least
 * recently used entry goes.
 */
type CacheBounds = { readonly ttlSeconds: number; readonly description: string } & (
  | { readonly entriesMax: number }
  | { readonly bytesMax: number }
)

/** All caches of a server process. Printed into `docs/limits.md`. */
export const caches = {
  'authorization.client_keys': {
    entriesMax: 1_000,
    ttlSeconds: 300,
    description: 'Keys that clients publish at their jwks_uri; an unknown key id fetches them again after 30 s.',
  },
  'authorization.grants': {
    entriesMax: 20_000,
    ttlSeconds: 900,
    description: 'Verified access tokens by digest, until they expire.',
  },
  'authorization.external_grants': {
    entriesMax: 20_000,
    ttlSeconds: 60,
    description:
      'Verified access tokens of external providers by digest. A change of the user, their roles or the provider shows after this time.',
  },
  'authorization.recorded_tokens': {
    entriesMax: 20_000,
    ttlSeconds: 86_400,
    description: 'Access tokens of external providers by digest, whose use the audit trail has.',
  },
  'authorization.provider_keys': {
    entriesMax: 1_000,
    ttlSeconds: 86_400,
    description:
      'Keys of external providers. Unknown key ids reload them at most once a minute; they serve for a day while a provider does not answer.',
  },
  'authorization.token_issuers': {
    entriesMax: 2_000,
    ttlSeconds: 5,
    description: 'Providers whose access tokens are accepted, by issuer.',
  },
  'authorization.verified_secrets': {
    entriesMax: 10_000,
    ttlSeconds: 86_400,
    description: 'Client secrets that passed their slow hash, as a MAC beside the stored hash.',
  },
  'authorization.proven_clients': {
    entriesMax: 10_000,
    ttlSeconds: 86_400,
    description: 'Clients that authenticated within the last day.',
  },
  'authorization.identity_providers': {
    entriesMax: 500,
    ttlSeconds: 3_600,
    description: 'Metadata and keys of external identity providers, by provider and its last change.',
  },
  'authorization.known_issuers': {
    entriesMax: 1_000,
    ttlSeconds: 86_400,
    description:
      'Issuers whose access tokens an organisation accepted: the limit of unknown issuers does not concern them.',
  },
  'api.reached_limits': {
    entriesMax: 20_000,
    ttlSeconds: 3_600,
    description: 'Shared limits that this process knows to be reached, until their window ends.',
  },
  'api.kept_answer_usage': {
    entriesMax: 10_000,
    ttlSeconds: 3_600,
    description: 'Idempotency keys and bytes of kept answers by tenant, counted every 10 minutes.',
  },
  'directory.client_origins': {
    entriesMax: 1,
    ttlSeconds: 30,
    description:
      'Origins of the redirect URIs of public clients, all at once. An application of a new client can call the API from its pages after this time.',
  },
  'directory.tenants': {
    entriesMax: 10_000,
    ttlSeconds: 5,
    description: 'Tenants by slug and id. A change by another process takes effect after this time.',
  },
  'issuance.current_templates': {
    entriesMax: 2_000,
    ttlSeconds: 3_600,
    description: 'Credential templates by id, checked against the version of the catalog.',
  },
  'issuance.templates_by_code': {
    entriesMax: 2_000,
    ttlSeconds: 3_600,
    description: 'Credential templates by code, checked against the version of the catalog.',
  },
  'issuance.template_versions': {
    entriesMax: 2_000,
    ttlSeconds: 3_600,
    description: 'Credential templates by id and version; a version never changes.',
  },
  'issuance.catalog_versions': {
    entriesMax: 10_000,
    ttlSeconds: 1,
    description: 'Versions of template catalogs by tenant, each used for 25 ms.',
  },
  'issuance.signed_metadata': {
    entriesMax: 200,
    ttlSeconds: 60,
    description: 'Signed issuer metadata by tenant and signer.',
  },
  'issuance.issuer_metadata': {
    entriesMax: 500,
    ttlSeconds: 3_600,
    description: 'Issuer metadata as text, by tenant and version of the catalog.',
  },
  'issuance.request_encryption_keys': {
    entriesMax: 1_000,
    ttlSeconds: 3_600,
    description: 'Keys that wallets encrypt credential requests to, by tenant and week.',
  },
  'issuance.server_metadata': {
    entriesMax: 500,
    ttlSeconds: 3_600,
    description: 'Authorization server metadata as text, by tenant.',
  },
  'issuance.recorded_looks': {
    entriesMax: 20_000,
    ttlSeconds: 600,
    description: 'Offer links that a caller was shown, of which the audit trail has an entry.',
  },
  'issuance.status_lists': {
    entriesMax: 200,
    ttlSeconds: 86_400,
    description: 'Signed status lists, until their version changes.',
  },
  'keys.data_keys': {
    entriesMax: 20_000,
    ttlSeconds: 3_600,
    description:
      'Data keys of tenants, which seal personal data and private keys. A rotation by another process takes effect after this time.',
  },
  'keys.subkeys': {
    entriesMax: 20_000,
    ttlSeconds: 86_400,
    description: 'Keys derived from data keys, by tenant and purpose.',
  },
  'keys.current': {
    entriesMax: 20_000,
    ttlSeconds: 60,
    description:
      'Current signing keys by tenant and usage. A rotation by another process takes effect after this time.',
  },
  'keys.of_credentials': {
    entriesMax: 1_000,
    ttlSeconds: 60,
    description: 'Keys of credentials by tenant and thumbprint, current and retired, which sign status lists.',
  },
  'keys.certificate_keys': {
    entriesMax: 1_000,
    ttlSeconds: 60,
    description: 'Signing keys of certificates by tenant and id.',
  },
  'trust.issuer_keys': {
    entriesMax: 1_000,
    ttlSeconds: 5,
    description: 'JWT VC issuer metadata by tenant.',
  },
  'trust.own_anchors': {
    entriesMax: 1_000,
    ttlSeconds: 5,
    description: "A tenant's own roots, read for path validation.",
  },
  'trust.active_signers': {
    entriesMax: 2_000,
    ttlSeconds: 5,
    description: 'Active signing certificates by tenant and kind.',
  },
  'trust.revocation_lists': {
    entriesMax: 500,
    ttlSeconds: 5,
    description: 'Published revocation lists by tenant and root.',
  },
  'trust.attester_chains': {
    entriesMax: 1_000,
    ttlSeconds: 5,
    description:
      'Valid chains of attesters by tenant and digest, for the anchors that they end at. A revocation shows after this time.',
  },
  'trust.tenant_trust': {
    entriesMax: 1_000,
    ttlSeconds: 5,
    description: 'Entities and anchors that a tenant trusts, ready for use.',
  },
  'trust.trusted_entities': {
    entriesMax: 1_000,
    ttlSeconds: 3_600,
    description: 'Trusted entities with parsed certificates, checked against their stamp.',
  },
  'trust.did_documents': {
    entriesMax: 1_000,
    ttlSeconds: 5,
    description: 'Published DID documents by tenant.',
  },
  'trust.fetched_documents': {
    bytesMax: 2_097_152,
    ttlSeconds: 300,
    description: 'Foreign DID and issuer documents, at most a quarter for one tenant.',
  },
  'trust.fetched_status_lists': {
    bytesMax: 6_291_456,
    ttlSeconds: 86_400,
    description: 'Foreign status lists, at most a quarter for one tenant.',
  },
  'trust.fetched_revocation_lists': {
    bytesMax: 8_388_608,
    ttlSeconds: 300,
    description: 'Foreign revocation lists, at most a quarter for one tenant.',
  },
  'verification.pages': {
    entriesMax: 2_000,
    ttlSeconds: 5,
    description:
      'Verification pages by id, with what they ask for. A change by another process takes effect after this time.',
  },
  'wallet.organisation_logos': {
    entriesMax: 200,
    ttlSeconds: 3_600,
    description:
      'Logos of organisations for the pages of their people, by address, at most 64 KiB each; one that did not arrive is fetched again after a minute.',
  },
  'wallet.provider_certificates': {
    entriesMax: 4,
    ttlSeconds: 3_600,
    description: 'Certificates of the keys of the wallet provider.',
  },
  'wallet.server_nonces': {
    entriesMax: 2_000,
    ttlSeconds: 600,
    description: 'The last DPoP nonce of each issuer and authorization server that wallets use, by origin.',
  },
  'wallet.slow_push_services': {
    entriesMax: 2_000,
    ttlSeconds: 60,
    description: 'Push services that took more than 2 s: a process sends them one message at a time.',
  },
} as const satisfies Record<string, CacheBounds>

/** A name in {@link caches}. */
type CacheName = keyof typeof caches
/** The caches that are bounded by entries. */
export type EntryCacheName = {
  [N in CacheName]: (typeof caches)[N] extends { entriesMax: number } ? N : never
}[CacheName]
/** The caches that are bounded by bytes, with a share for each tenant. */
export type ByteCacheName = Exclude<CacheName, EntryCacheName>
