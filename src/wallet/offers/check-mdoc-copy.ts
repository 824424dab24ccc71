import { sortedJson } from '../../crypto/json.ts'
import { mdocClaims } from '../../protocols/mdoc/claims.ts'
import { mdocFinding } from '../../protocols/mdoc/findings.ts'
import { type IssuerSigned, parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { checkReceivedMdoc, verifyIssuerSigned } from '../../protocols/mdoc/verify-issuer-signed.ts'
import { resolveMdocIssuer } from '../../trust/issuers/mdoc-issuer.ts'
import { type CopyCheck, type CopyContext, type CopyFinding, copyFacts, lengthFindings } from './check-copy.ts'

/** Returns the check of the mdocs of one response: ISO/IEC 18013-5, 9.3.1, and the binding to a key of ours. */
export function mdocChecks({ platform, received: { configuration }, trust, now }: CopyContext): CopyCheck {
  return async (raw, unused) => {
    const mdoc = parseIssuerSigned(raw)
    const { docType, status, deviceKey, validityInfo } = mdoc.mso
    const issuer = await trust.reviewed(await resolveMdocIssuer(platform, mdoc, now, trust.anchors))
    const key = unused.take(deviceKey)
    // [W-R4] the type of the configuration
    const policy = { certificate: issuer.certificate, now, docType: configuration.type ?? '' }
    // an mdoc is always bound to a key; with another key than ours it cannot be presented [W-R3]
    const own: readonly CopyFinding[] =
      key === null
        ? [...verifyIssuerSigned(mdoc, policy), unboundFinding(mdoc)]
        : checkReceivedMdoc(mdoc, { ...policy, holderKey: key.publicJwk })
    const content = sortedJson([issuer.issuer, mdocClaims(mdoc.nameSpaces)])
    const times = { issued: validityInfo.signed.getTime(), expires: validityInfo.validUntil.getTime() }
    // an mdoc names its issuer only in the certificate of the signer
    const facts = copyFacts({ vct: docType }, issuer.issuer, times, now)
    return {
      copy: { raw, key, issuer, status, content, facts },
      findings: [...issuer.findings, ...own, ...lengthFindings(null, docType)],
    }
  }
}

function unboundFinding({ mso }: IssuerSigned): CopyFinding {
  return mdocFinding(mso.deviceKey === null ? 'device_key.unsupported' : 'device_key.unexpected')
}
