import type { TenantId } from '../../caller.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { isUnanchoredChain } from '../../crypto/x509-path/unanchored-chain.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { faultOf } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { checkSignedMetadata, parseSignedMetadata } from '../../protocols/openid4vci/signed-metadata.ts'
import { certifiedIssuer } from '../../trust/issuers/certified-issuer.ts'
import type { ResolvedIssuer } from '../../trust/issuers/resolve-issuer.ts'

/** Verifies signed metadata of an issuer, and returns them. @throws Fault `issuer_metadata.invalid`, `upstream.*` */
export type MetadataVerifier = (text: string, credentialIssuer: string) => Promise<JsonObject>

/** Returns which signers the tenant accepts for the credentials of an issuer. */
type TrustOf = (credentialIssuer: string) => {
  readonly anchors: () => Promise<AnchorSet>
  /** Returns a signer with the findings of the policy. */
  readonly reviewed: (signer: ResolvedIssuer) => Promise<ResolvedIssuer>
}

/**
 * Returns how the wallets of a tenant verify signed issuer metadata; null: they request plain ones. The signer
 * of signed ones comes by `x5c` and may sign credentials of this issuer. [W-M3] [HAIP-6]
 */
export async function metadataVerifierOf(
  platform: Platform,
  tenantId: TenantId,
  trustOf: TrustOf,
): Promise<MetadataVerifier | null> {
  const { holding } = await findPolicyOf(platform, tenantId)
  if (!holding.requestsSignedMetadata) return null
  return async (text, credentialIssuer) => {
    const jws = parseSignedMetadata(text)
    const { x5c } = jws.header
    if (!isUnanchoredChain(x5c) || !Array.isArray(x5c))
      throw invalid('x5c must name the signer of the metadata, without its trust anchor.')
    const now = platform.clock.now()
    const trust = trustOf(credentialIssuer)
    const by = { iss: credentialIssuer, iat: jws.payload.iat }
    const chain = x5c.filter((one) => typeof one === 'string')
    const found = await certifiedIssuer({ ...platform, tenantId }, chain, by, { anchors: await trust.anchors(), now })
    const signer = await trust.reviewed({ ...found, mechanism: 'x5c' })
    const [finding] = signer.findings
    if (finding !== undefined) throw invalid(`The signer of the metadata is not trusted. ${finding.message}`)
    return checkSignedMetadata(jws, signer.key, credentialIssuer, now)
  }
}

const invalid = faultOf('issuer_metadata.invalid')
