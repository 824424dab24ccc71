import { readChain } from '../../crypto/x509-path/anchor.ts'
import type { Platform } from '../../platform.ts'
import { leafNames } from './certified-issuer.ts'
import type { ResolvedIssuer } from './resolve-issuer.ts'

/** A certification authority that nobody here trusts, as far as the chain tells. `fingerprint`: SHA-256 in hex; null: the chain ends below it. */
export type UnknownRoot = {
  readonly subject: string
  readonly fingerprint: string | null
  readonly keyIdentifier: string | null
}

/** Whether nothing stands against a chain but that it leads to no trusted certificate: then it is as good as its word. */
export function lacksOnlyAnchor(findings: readonly { readonly code: string }[]): boolean {
  return findings.length > 0 && findings.every(({ code }) => code === 'chain.no_anchor')
}

/**
 * Whether an issuer that nobody vouches for has a certificate of the very address that was spoken to. The connection to that address was
 * authenticated, so the credential comes from there; who that is stays open.
 */
export function isCertifiedFor(
  { chain, findings }: Pick<ResolvedIssuer, 'chain' | 'findings'>,
  address: string,
): boolean {
  const [leaf] = (chain === null ? null : readChain(chain.der)) ?? []
  return leaf !== undefined && lacksOnlyAnchor(findings) && leafNames(leaf, address)
}

/** The root of a chain, by its own certificate if the chain brings it, else by what the topmost certificate says of its issuer. */
export function unknownRootOf(chain: readonly Uint8Array[]): UnknownRoot | null {
  const top = readChain(chain)?.at(-1)
  if (top === undefined) return null
  const { subjectKeyId, authorityKeyId } = top.extensions
  const isRoot = top.issuer.der.equals(top.subject.der)
  const keyId = isRoot ? (subjectKeyId ?? null) : authorityKeyId
  return {
    subject: top.issuer.text,
    fingerprint: isRoot ? top.fingerprint : null,
    keyIdentifier: keyId?.toString('hex') ?? null,
  }
}

/** The operation by which an organisation trusts somebody, for texts and for `meta`. */
export function trustOperation({ config }: Pick<Platform, 'config'>): string {
  return `POST ${config.credsBaseUrl}/trusted-entities`
}
