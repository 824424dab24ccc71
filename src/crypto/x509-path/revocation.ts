import type { Certificate } from '../x509/certificate.ts'
import type { Crl } from '../x509/crl.ts'
import { isSignedBy } from '../x509/signature.ts'
import type { PathFindingCode } from './path-findings.ts'

/** `hard`: without a valid list the chain is refused. `soft`: only a revocation in a list counts. */
export type RevocationPolicy = 'none' | 'soft' | 'hard'

/** [SEC-80] */
const SKEW_MS = 60_000

/**
 * Looks a certificate up in the lists.
 *
 * @param issuer The issuing certificate, already verified.
 * @param now The lists must be current at this time, independent of when the chain was used.
 * @see [RFC 5280, 6.3](https://www.rfc-editor.org/rfc/rfc5280#section-6.3)
 */
export function revocationOf(
  { serial, issuer: name }: Certificate,
  issuer: Certificate,
  input: { readonly crls: readonly Crl[]; readonly policy: RevocationPolicy; readonly now: Date },
): PathFindingCode | null {
  if (input.policy === 'none') return null
  const lists = input.crls.filter((one) => one.issuer.equals(name.der))
  // RFC 5280 4.2.1.3: the issuer of a list needs cRLSign
  const maySign = issuer.extensions.keyUsage?.has('cRLSign') ?? true
  const signed = lists.filter((one) => maySign && isSignedBy(one, issuer.publicKey))
  // An expired list still proves a revocation.
  if (signed.some(({ revoked }) => revoked.has(serial))) return 'certificate.revoked'
  if (input.policy === 'soft') return null
  const complete = signed.filter(({ isComplete }) => isComplete)
  if (complete.some((one) => isCurrent(one, input.now))) return null
  if (complete.length > 0) return 'crl.stale'
  if (signed.length > 0) return 'crl.unsupported'
  return lists.length > 0 ? 'crl.signature' : 'crl.missing'
}

/** Whether a list is current at a time, with a minute of clock skew. A list without `nextUpdate` never is. */
function isCurrent({ thisUpdate, nextUpdate }: Pick<Crl, 'thisUpdate' | 'nextUpdate'>, now: Date): boolean {
  const at = now.getTime()
  return thisUpdate.getTime() - SKEW_MS <= at && nextUpdate !== null && at < nextUpdate.getTime() + SKEW_MS
}
