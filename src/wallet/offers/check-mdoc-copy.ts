import { mdocClaims } from '../../protocols/mdoc/claims.ts'
import { mdocFinding } from '../../protocols/mdoc/findings.ts'
import { type IssuerSigned, parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { checkReceivedMdoc, verifyIssuerSigned } from '../../protocols/mdoc/verify-issuer-signed.ts'
import { type MdocIssuer, resolveMdocIssuer } from '../../trust/issuers/mdoc-issuer.ts'
import type { OutboundPeer } from '../credentials/upstream.ts'
import {
  type CopyFinding,
  type CopyOutcome,
  type CredentialFacts,
  calendarDate,
  factLengths,
  lengthFindings,
  orderedJson,
  type UnusedKeys,
} from './check-copy.ts'
import type { SignerTrust } from './issuer-policy.ts'
import type { Received } from './redeem-offer.ts'

/** Returns the check of the mdocs of one response. */
export function mdocChecks(platform: OutboundPeer, { configuration }: Received, trust: SignerTrust, now: Date) {
  /**
   * 6.5, steps 1 and 3 to 8, and the binding to a key of ours; everything but the status list.
   *
   * @throws Fault `mdoc.malformed`, `issuer.undiscoverable`, `key.unsupported`, `upstream.*`
   */
  return async (raw: string, unused: UnusedKeys): Promise<CopyOutcome> => {
    const mdoc = parseIssuerSigned(raw)
    const issuer = await trust.reviewed(await resolveMdocIssuer(platform, mdoc, now, trust.anchors))
    const key = unused.take(mdoc.mso.deviceKey)
    // [W-R4] the type of the configuration
    const policy = { certificate: issuer.certificate, now, docType: configuration.type ?? '' }
    // an mdoc is always bound to a key; with another key than ours it cannot be presented [W-R3]
    const own: readonly CopyFinding[] =
      key === null
        ? [...verifyIssuerSigned(mdoc, policy), unboundFinding(mdoc)]
        : checkReceivedMdoc(mdoc, { ...policy, holderKey: key.publicJwk })
    const claims = mdocClaims(mdoc.nameSpaces)
    return {
      copy: {
        ...{ raw, key, issuer, status: mdoc.mso.status, facts: factsOf(mdoc, issuer, now) },
        content: orderedJson([issuer.issuer, claims]),
      },
      findings: [...issuer.findings, ...own, ...lengthFindings(null, mdoc.mso.docType)],
    }
  }
}

function unboundFinding({ mso }: IssuerSigned): CopyFinding {
  return mdocFinding(mso.deviceKey === null ? 'device_key.unsupported' : 'device_key.unexpected')
}

function factsOf({ mso }: IssuerSigned, { issuer }: MdocIssuer, now: Date): CredentialFacts {
  const { signed, validUntil } = mso.validityInfo
  return {
    vct: mso.docType,
    // an mdoc names its issuer only in the certificate of the signer
    iss: issuer === '' ? null : issuer.slice(0, factLengths.iss),
    issuedAt: calendarDate(signed.getTime()) ?? now,
    expiresAt: calendarDate(validUntil.getTime()),
  }
}
