import type { Platform } from '../../../platform.ts'
import { ASSERTION_ALGS } from '../../../protocols/oauth2/client-assertion.ts'
import { DPOP_ALGS } from '../../../protocols/oauth2/dpop-proof.ts'
import { buildServerMetadata } from '../../../protocols/oauth2/server-metadata.ts'
import type { ServerInstance } from '../instance.ts'

/** Returns the metadata of an instance: what it has and accepts, and nothing else. */
export function describeServer(instance: ServerInstance): Readonly<Record<string, unknown>> {
  const { issuer, endpoints, clients, grants, acceptsDpop, parRequired, scopes, extensions } = instance
  return buildServerMetadata({
    issuer,
    endpoints,
    grantTypes: grants.map(({ type }) => type),
    clientAuthMethods: clients.methods,
    scopes: scopes ?? undefined,
    assertionAlgs: clients.methods.includes('private_key_jwt') ? ASSERTION_ALGS : undefined,
    parRequired,
    dpopAlgs: acceptsDpop ? DPOP_ALGS : undefined,
    extensions,
  })
}

/** Returns the JWK set of an instance: its current keys, and those whose signatures may still be verified. */
export async function publishKeys(
  { keys }: Pick<Platform, 'keys'>,
  { tenantId, keys: usages }: ServerInstance,
): Promise<{ readonly keys: readonly object[] }> {
  // Creates the first keys, so that none is missing when it is needed.
  await Promise.all(usages.map((usage) => keys.current(tenantId, usage)))
  const published = await keys.published(tenantId, usages)
  return { keys: published.map(({ jwk, kid, alg }) => ({ ...jwk, kid, alg, use: 'sig' })) }
}
