import type { VerificationKey } from '../../crypto/jwk.ts'
import type { Certificate } from '../../crypto/x509/certificate.ts'
import { keyIdsOfBits } from '../../crypto/x509/key-identifier.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { Fault } from '../../fault.ts'
import { type TrustFinding, trustFinding } from '../lookups/finding.ts'
import type { TrustNeeds } from '../lookups/needs.ts'
import { validateWithRevocation } from '../revocation/revocation-lists.ts'

/** A chain from a header, and when the key of its leaf was used. */
export type UsedChain = { readonly der: readonly Buffer[]; readonly at: Date }

/** An issuer that is identified by a certificate. */
type CertifiedIssuer = {
  readonly issuer: string
  readonly key: VerificationKey
  readonly trusted: boolean
  readonly findings: readonly TrustFinding[]
  readonly chain: UsedChain
  /** Key identifiers of the path in lower-case hex: computed from its keys, and the stated one of the anchor. */
  readonly keyIds: readonly string[]
}

/**
 * Validates the chain in a credential for issuing, including revocation. The issuer is `iss` if the leaf names it, else
 * the subject of the leaf. An `iss` that is no https address, e.g. a DID, must be named by the leaf.
 *
 * @param x5c Standard base64 of DER, leaf first.
 * @param iat Claimed time of signing, in seconds. [SEC-28] The certificates must have been valid then, even if they
 *   have expired since.
 * @throws Fault `issuer.undiscoverable`, `key.unsupported` if there is no leaf with a supported key;
 *   `upstream.unreachable`
 * @see [SD-JWT VC, 2.5](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export async function certifiedIssuer(
  platform: TrustNeeds,
  x5c: readonly string[],
  { iss, iat }: { readonly iss: string | null; readonly iat: unknown },
  { anchors, now }: { readonly anchors: AnchorSet; readonly now: Date },
): Promise<CertifiedIssuer> {
  const chain = { der: x5c.map((one) => Buffer.from(one, 'base64')), at: timeOfUse(iat, now) }
  const ask = { chain: chain.der, anchors, purpose: 'issuer', at: chain.at } as const
  const { leaf, path, findings } = await validateWithRevocation(platform, ask, now)
  if (leaf === null) throw new Fault('issuer.undiscoverable', { detail: findings[0]?.message ?? '' })
  if (leaf.publicKey === null) throw new Fault('key.unsupported')
  const isNamed = iss === null || leafNames(leaf, iss)
  const isAddress = iss?.startsWith('https://') === true
  const all = isNamed || isAddress ? findings : [...findings, trustFinding('issuer.name')]
  return {
    issuer: iss !== null && isNamed ? iss : leaf.subject.text,
    key: leaf.publicKey,
    trusted: all.length === 0,
    findings: all,
    chain,
    keyIds: keyIdsOf(path),
  }
}

/**
 * Whether a certificate names an issuer: by a URI or, if it has no URI, by the DNS name of an https issuer. One with
 * both is for that URI alone, since several issuers may share a host. [VC-21]
 */
export function leafNames({ extensions: { subjectAltName } }: Pick<Certificate, 'extensions'>, iss: string): boolean {
  const { dns, uris } = subjectAltName
  if (uris.length > 0) return uris.includes(iss)
  // RFC 6125 6.4: a DNS name is compared with the host, without the port
  const host = URL.canParse(iss) && new URL(iss).protocol === 'https:' ? new URL(iss).hostname : iss
  return dns.some((name) => name.toLowerCase() === host.toLowerCase())
}

function timeOfUse(iat: unknown, now: Date): Date {
  const seconds = typeof iat === 'number' && iat >= 0 ? iat : Number.POSITIVE_INFINITY
  return new Date(Math.min(seconds * 1000, now.getTime()))
}

/**
 * Returns the key identifiers of a path. They are computed, since a leaf or an intermediate may state any; only the
 * anchor's is believed.
 */
export function keyIdsOf(path: readonly Certificate[]): readonly string[] {
  const stated = path.at(-1)?.extensions.subjectKeyId?.toString('hex')
  return [...path.flatMap(({ keyBits }) => keyIdsOfBits(keyBits)), ...(stated === undefined ? [] : [stated])]
}
