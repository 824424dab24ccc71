import type { JsonObject } from '../crypto/json.ts'
import { type KeyPair, thumbprint } from '../crypto/jwk.ts'
import { Fault } from '../fault.ts'
import { checkReceivedSdJwtVc, holderKeyOf } from '../protocols/sd-jwt-vc/check-sd-jwt-vc.ts'
import { parseSdJwt, type SdJwt } from '../protocols/sd-jwt-vc/sd-jwt.ts'
import { checkStatus } from '../trust/check-status.ts'
import { trustFinding } from '../trust/finding.ts'
import { type ResolvedIssuer, resolveIssuer } from '../trust/resolve-issuer.ts'
import { subjectClaims } from './credential.ts'
import type { SignerTrust } from './issuer-policy.ts'
import type { Received } from './redeem-offer.ts'
import type { Outward } from './upstream.ts'

/** One thing that is wrong with what an issuer sent. `copy`: which credential of the response, from 0. */
export type ReceivedFinding = { readonly copy: number; readonly code: string; readonly message: string }

/** A copy that holds, exactly as it was received, and the key that it is bound to; null: bound to none. */
export type VerifiedCopy = { readonly raw: string; readonly key: KeyPair | null }

/** A verified credential. `copies` are never empty. */
export type Verified = {
  readonly received: Received
  readonly copies: readonly VerifiedCopy[]
  readonly vct: string
  readonly iss: string | null
  readonly issuedAt: Date
  readonly expiresAt: Date | null
}

const ISS_LENGTH_MAX = 512
const VCT_LENGTH_MAX = 256

type Copy = VerifiedCopy & { readonly payload: JsonObject; readonly issuer: ResolvedIssuer | null }
type Outcome = { readonly copy: Copy | null; readonly findings: readonly Omit<ReceivedFinding, 'copy'>[] }

/**
 * Makes every check of a holder on receipt for all copies of a credential. One bad copy condemns them all [W-R7].
 *
 * @param trust Who may have signed it.
 * @throws Fault `credential.invalid`, with the findings in `meta.findings`
 * @see [RFC 9901, 7.2](https://www.rfc-editor.org/rfc/rfc9901#section-7.2)
 */
export async function checkReceived(
  platform: Outward,
  received: Received,
  trust: SignerTrust,
  now: Date,
): Promise<Verified> {
  const outcomes: Outcome[] = []
  const keysLeft = new Map(received.keys.map((key) => [thumbprint(key.publicJwk), key]))
  const issuerOf = issuersOf(platform, trust, now)
  for (const raw of received.raws) outcomes.push(await checkCopy(raw, received, keysLeft, issuerOf, now))
  const findings = outcomes.flatMap((one, copy) => one.findings.map((finding) => ({ copy, ...finding })))
  // Token Status List 8.3: an invalid credential is not looked up
  if (findings.length === 0) findings.push(...(await checkStatuses(platform, outcomes, trust, now)))
  const copies = outcomes.flatMap(({ copy }) => copy ?? [])
  const [first] = copies
  if (findings.length > 0 || first === undefined) throw refusal(findings)
  return { received, copies: copies.map(({ raw, key }) => ({ raw, key })), ...factsOf(first, now) }
}

async function checkCopy(
  raw: string,
  { configuration, keys }: Received,
  keysLeft: Map<string, KeyPair>,
  issuerOf: (sdJwt: SdJwt) => Promise<ResolvedIssuer>,
  now: Date,
): Promise<Outcome> {
  try {
    const sdJwt = parseSdJwt(raw)
    const issuer = await issuerOf(sdJwt)
    const key = takeKey(sdJwt.jwt.payload, keysLeft)
    const agreed = { issuerKey: issuer.key, now, holderKey: key?.publicJwk ?? null, ...vctOf(configuration.type) }
    const checked = checkReceivedSdJwtVc(sdJwt, agreed)
    const findings = [...issuer.findings, ...checked.findings, ...lengthFindings(checked.payload)]
    return {
      copy: { raw, key, payload: checked.payload, issuer },
      findings: [...findings, ...unboundFindings(keys.length > 0 && key === null, findings)],
    }
  } catch (error) {
    // the other side being out of reach says nothing about the credential
    if (!(error instanceof Fault) || error.code.startsWith('upstream.')) throw error
    return { copy: null, findings: [{ code: error.code, message: error.message }] }
  }
}

/** [W-R3] Bound to exactly one of the keys sent; a credential that names no key at all differs from what was asked for too. */
function unboundFindings(isUnbound: boolean, others: readonly { code: string }[]): { code: string; message: string }[] {
  if (!isUnbound || others.some(({ code }) => code.startsWith('cnf.'))) return []
  return [{ code: 'cnf.unexpected', message: 'The credential is bound to no key that was sent.' }]
}

/** The key of ours that a payload names, taken out so that no second copy can have it. */
function takeKey(payload: JsonObject, keysLeft: Map<string, KeyPair>): KeyPair | null {
  const bound = holderKeyOf(payload)
  if (bound === null || bound === 'malformed') return null
  const name = thumbprint(bound)
  const key = keysLeft.get(name) ?? null
  keysLeft.delete(name)
  return key
}

function vctOf(type: string | null): { vct?: string } {
  return type === null ? {} : { vct: type }
}

/** Copies of one response mostly have one issuer, which is looked up once. */
function issuersOf(platform: Outward, trust: SignerTrust, now: Date): (sdJwt: SdJwt) => Promise<ResolvedIssuer> {
  const known = new Map<string, Promise<ResolvedIssuer>>()
  return ({ jwt }) => {
    const name = JSON.stringify([jwt.header.kid, jwt.header.x5c, jwt.payload.iss])
    const found = known.get(name) ?? allowedIssuer(platform, jwt, trust, now)
    known.set(name, found)
    return found
  }
}

/** The issuer with what the tenant's policy has against it. */
async function allowedIssuer(
  platform: Outward,
  jwt: SdJwt['jwt'],
  { anchors, allows }: SignerTrust,
  now: Date,
): Promise<ResolvedIssuer> {
  const issuer = await resolveIssuer(platform, jwt, now, anchors)
  if (issuer.findings.length > 0 || (await allows(issuer))) return issuer
  return { ...issuer, trusted: false, findings: [trustFinding('issuer.not_trusted')] }
}

function lengthFindings({ iss, vct }: JsonObject): { code: string; message: string }[] {
  const fits = (value: unknown, max: number) => typeof value !== 'string' || (value.length > 0 && value.length <= max)
  if (fits(iss, ISS_LENGTH_MAX) && fits(vct, VCT_LENGTH_MAX)) return []
  return [{ code: 'claim.too_long', message: 'The type or the issuer is longer than a wallet can show.' }]
}

async function checkStatuses(
  platform: Outward,
  outcomes: readonly Outcome[],
  { anchors }: SignerTrust,
  now: Date,
): Promise<ReceivedFinding[]> {
  const findings: ReceivedFinding[] = []
  for (const [position, { copy }] of outcomes.entries()) {
    if (copy === null || copy.issuer === null) continue
    const found = await checkStatus(platform, copy.payload.status, copy.issuer, now, anchors)
    // a list out of reach says nothing about the credential, so this is no refusal of it
    if (found.some(({ code }) => code === 'status.unavailable')) {
      throw new Fault('upstream.unreachable', { detail: 'The status list of the credential could not be fetched.' })
    }
    findings.push(...found.map((one) => ({ copy: position, ...one })))
    // the holder agrees to what the first copy says, so the others must not say anything else
    const [first] = outcomes
    if (first?.copy && contentOf(copy) !== contentOf(first.copy)) {
      findings.push({
        copy: position,
        code: 'batch.differs',
        message: 'The copies of the credential do not say the same.',
      })
    }
  }
  return findings
}

/** What a copy says, in a form that does not depend on the order of members. `jti` names the copy, not the subject. */
function contentOf({ payload }: Copy): string {
  const { jti: _, ...claims } = subjectClaims(payload)
  return JSON.stringify([payload.iss ?? null, claims], (_name, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

function factsOf({ payload, issuer }: Copy, now: Date) {
  const { iss, iat, nbf, exp, vct } = payload
  const seconds = [iat, nbf].find((one) => typeof one === 'number')
  return {
    vct: String(vct),
    // a certificate names the issuer where the claim does not
    iss: typeof iss === 'string' ? iss : (issuer?.issuer.slice(0, ISS_LENGTH_MAX) ?? null),
    issuedAt: dateOf(seconds) ?? now,
    expiresAt: dateOf(exp),
  }
}

/** Null for what no calendar has. */
function dateOf(seconds: unknown): Date | null {
  const date = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date : null
}

function refusal(findings: readonly ReceivedFinding[]): Fault {
  const detail = [...new Set(findings.map(({ message }) => message))].slice(0, 5).join(' ')
  return new Fault('credential.invalid', { detail, meta: { findings: findings.slice(0, 50) } })
}
