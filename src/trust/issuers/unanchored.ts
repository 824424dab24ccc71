import { isSelfIssued } from '../../crypto/x509/certificate.ts'
import { readChain } from '../../crypto/x509-path/anchor.ts'
import type { Platform } from '../../platform.ts'
import { leafNames } from './certified-issuer.ts'
import type { ResolvedIssuer } from './resolve-issuer.ts'

/**
 * A root that the tenant does not trust, as far as a chain identifies it. `fingerprint`: SHA-256 in hex; null if the
 * root is not in the chain, as in those of our own signers [X5-5]. `keyIdentifier`: hex; identifies the key of the root
 * in any case.
 */
type UnknownRoot = {
  readonly subject: string
  readonly fingerprint: string | null
  readonly keyIdentifier: string | null
}

/** Whether the only finding about a chain is that it leads to no trusted certificate. */
export function lacksOnlyAnchor(findings: readonly { readonly code: string }[]): boolean {
  return findings.length > 0 && findings.every(({ code }) => code === 'chain.no_anchor')
}

/**
 * Whether an issuer under an untrusted root has a certificate for the address that the credential was fetched from. The
 * connection to that address was authenticated, so the credential comes from there; who operates it is unknown.
 */
export function isCertifiedFor(
  { chain, findings }: Pick<ResolvedIssuer, 'chain' | 'findings'>,
  address: string,
): boolean {
  const [leaf] = (chain === null ? null : readChain(chain.der)) ?? []
  return leaf !== undefined && lacksOnlyAnchor(findings) && leafNames(leaf, address)
}

/**
 * Returns the root of a chain: by its certificate if it is in the chain, else by the issuer name and authority key
 * identifier below it.
 */
export function unknownRootOf(chain: readonly Uint8Array[]): UnknownRoot | null {
  const top = readChain(chain)?.at(-1)
  if (top === undefined) return null
  const { subjectKeyId, authorityKeyId } = top.extensions
  const isRoot = isSelfIssued(top)
  const keyId = isRoot ? (subjectKeyId ?? null) : authorityKeyId
  return {
    subject: top.issuer.text,
    fingerprint: isRoot ? top.fingerprint : null,
    keyIdentifier: keyId?.toString('hex') ?? null,
  }
}

/**
 * Returns a root for an error text: an administrator compares the fingerprint, or the key identifier with
 * `subjectKeyIdentifier` of the root.
 */
export function describeRoot({ subject, fingerprint, keyIdentifier }: UnknownRoot): string {
  if (fingerprint !== null) return `${subject} (SHA-256 ${fingerprint})`
  return keyIdentifier === null ? subject : `${subject} (key identifier ${keyIdentifier})`
}

/** Returns the operation that adds a trusted entity, for error texts and `meta`. */
export function trustOperation({ config }: Pick<Platform, 'config'>): string {
  return `POST ${config.credsBaseUrl}/trusted-entities`
}
