import { type JsonObject, sortedJson } from '../../crypto/json.ts'
import type { KeyPair } from '../../crypto/jwk.ts'
import { isUnanchoredChain } from '../../crypto/x509-path/unanchored-chain.ts'
import { checkReceivedSdJwtVc, holderKeyOf } from '../../protocols/sd-jwt-vc/check-sd-jwt-vc.ts'
import { parseSdJwt, type SdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { type ResolvedIssuer, resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { subjectClaims } from '../credentials/credential.ts'
import {
  type CopyCheck,
  type CopyContext,
  type CopyFinding,
  copyFacts,
  lengthFindings,
  type UnusedKeys,
} from './check-copy.ts'

/** Returns the check of the SD-JWT VCs of one response. Each issuer is resolved once. */
export function sdJwtChecks(context: CopyContext): CopyCheck {
  const { configuration, keys } = context.received
  const { now } = context
  const issuerOf = issuersOf(context)
  return async (raw, unused) => {
    const sdJwt = parseSdJwt(raw)
    const issuer = await issuerOf(sdJwt)
    const key = keyOf(sdJwt.jwt.payload, unused)
    const agreed = { issuerKey: issuer.key, now, holderKey: key?.publicJwk ?? null, ...vctOf(configuration.type) }
    const { payload, findings: own } = checkReceivedSdJwtVc(sdJwt, agreed)
    const { vct, iss, iat, nbf, exp, status } = payload
    const outside = await signerFindings(context, sdJwt)
    const findings = [...issuer.findings, ...own, ...outside, ...lengthFindings(iss, vct)]
    const times = { issued: msOf([iat, nbf].find((one) => typeof one === 'number')), expires: msOf(exp) }
    const facts = copyFacts({ vct: String(vct), ...(typeof iss === 'string' && { iss }) }, issuer.issuer, times, now)
    return {
      copy: { raw, key, issuer, status, content: contentOf(payload), facts },
      findings: [...findings, ...unboundFindings(keys.length > 0 && key === null, findings)],
    }
  }
}

async function signerFindings({ trust }: CopyContext, { jwt }: SdJwt): Promise<readonly CopyFinding[]> {
  if (isUnanchoredChain(jwt.header.x5c) || !(await trust.policy()).requiresCertifiedIssuers) return []
  const message = 'The credential must name its signer by x5c, without a self-signed certificate.'
  return [{ code: 'issuer.not_certified', message }]
}

/** [W-R3] A credential must be bound to exactly one of the proved keys; one without a key is refused too. */
function unboundFindings(isUnbound: boolean, others: readonly CopyFinding[]): readonly CopyFinding[] {
  if (!isUnbound || others.some(({ code }) => code.startsWith('cnf.'))) return []
  return [{ code: 'cnf.unexpected', message: 'The credential is bound to no key that was sent.' }]
}

function keyOf(payload: JsonObject, unused: UnusedKeys): KeyPair | null {
  const bound = holderKeyOf(payload)
  return bound === 'malformed' ? null : unused.take(bound)
}

function vctOf(type: string | null): { vct?: string } {
  return type === null ? {} : { vct: type }
}

function issuersOf({ platform, trust, now }: CopyContext): (sdJwt: SdJwt) => Promise<ResolvedIssuer> {
  const resolved = new Map<string, Promise<ResolvedIssuer>>()
  return ({ jwt }) => {
    const name = JSON.stringify([jwt.header.kid, jwt.header.x5c, jwt.payload.iss])
    const found = resolved.get(name) ?? resolveIssuer(platform, jwt, now, trust.anchors).then(trust.reviewed)
    resolved.set(name, found)
    return found
  }
}

/** Leaves out `jti`, which differs between copies. */
function contentOf(payload: JsonObject): string {
  const { jti: _, ...claims } = subjectClaims(payload)
  return sortedJson([payload.iss ?? null, claims])
}

function msOf(seconds: unknown): number {
  return typeof seconds === 'number' ? seconds * 1000 : Number.NaN
}
