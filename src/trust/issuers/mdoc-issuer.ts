import { oids } from '../../crypto/x509/oids.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { mdlSigner } from '../../crypto/x509-path/extended-key-usage.ts'
import { Fault } from '../../fault.ts'
import type { IssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { mdl } from '../../protocols/mdoc/mdl.ts'
import type { IssuerCertificate } from '../../protocols/mdoc/verify-issuer-signed.ts'
import type { TrustNeeds } from '../lookups/needs.ts'
import { validateWithRevocation } from '../revocation/revocation-lists.ts'
import { keyIdsOf } from './certified-issuer.ts'
import type { ResolvedIssuer } from './resolve-issuer.ts'

/** The issuer of an mdoc. `certificate`: input of the checks of the mdoc itself. */
export type MdocIssuer = ResolvedIssuer & { readonly certificate: IssuerCertificate }

/**
 * Resolves the issuer of an mdoc: validates its chain as that of a document signer under an IACA root, including
 * revocation.
 *
 * NOT checked: the signature and everything else of the mdoc, its status, whether the verifier or the tenant accepts
 * this issuer.
 *
 * @param anchors Where chains may end; see `trustedAnchors`.
 * @throws Fault `issuer.undiscoverable`, `key.unsupported` if there is no leaf with a supported key;
 *   `upstream.unreachable`
 * @see ISO/IEC 18013-5, 9.3.1 (2021)
 */
export async function resolveMdocIssuer(
  platform: TrustNeeds,
  { x5chain, mso }: Pick<IssuerSigned, 'x5chain' | 'mso'>,
  now: Date,
  anchors: () => Promise<AnchorSet>,
): Promise<MdocIssuer> {
  const der = x5chain.map((one) => Buffer.from(one))
  // [SEC-28] the certificates must have been valid when it was signed; `signed` is claimed by the issuer, so at most
  // now
  const at = new Date(Math.min(mso.validityInfo.signed.getTime(), now.getTime()))
  // ISO/IEC 18013-5 Annex B: signers of driving licences. ISO/IEC 23220: of other documents too
  const extendedKeyUsage = mso.docType === mdl.docType ? [oids.mdlDocumentSigner] : [...mdlSigner]
  const input = { chain: der, anchors: await anchors(), purpose: 'issuer', iaca: true, extendedKeyUsage, at } as const
  const { ok, findings, leaf, path } = await validateWithRevocation(platform, input, now)
  if (leaf === null) throw new Fault('issuer.undiscoverable', { detail: findings[0]?.message ?? '' })
  const { publicKey: key, subject, notBefore, notAfter } = leaf
  if (key === null) throw new Fault('key.unsupported')
  const { country: countryName, state: stateOrProvinceName } = subject
  return {
    issuer: subject.text,
    mechanism: 'x5c',
    key,
    trusted: ok,
    findings,
    chain: { der, at },
    keyIds: keyIdsOf(path),
    certificate: { der: leaf.der, key, notBefore, notAfter, countryName, stateOrProvinceName },
  }
}
