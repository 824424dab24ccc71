import type { Static } from 'typebox'
import type { PresentationCheck, PresentationCheckBody } from '../../contract/verification/presentation-checks.ts'
import { type JsonObject, memberOf } from '../../crypto/json.ts'
import { findTenant } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import type { Platform } from '../../platform.ts'
import { processSdJwt } from '../../protocols/sd-jwt-vc/process-sd-jwt.ts'
import { isControlClaim } from '../../protocols/sd-jwt-vc/reserved-names.ts'
import { parseSdJwt, type SdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { trustOf } from '../../trust/issuers/is-trusted.ts'
import { trustedEntitiesFor } from '../../trust/trusted-entities/tenant-trust.ts'
import { checksOf } from '../findings/checks.ts'
import { isDefect } from '../findings/finding.ts'
import { ANY_ISSUER } from '../templates/presentation-template.ts'
import { checkSdJwtPresentation } from './check-sd-jwt-presentation.ts'
import { type CheckedCredential, type ExpectedPresentation, nullIfFault } from './checked-credential.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'urls' | 'fetch' | 'config' | 'memory' | 'rateLimiter'>

/** A link lives for a year at most, and so does what it gives. */
const KEY_BINDING_AGE_MAX_SECONDS = 366 * 86_400
/** The checks that say something where no template asked. */
const shownChecks = new Set(['form', 'signature', 'issuer', 'validity', 'holder_binding', 'status'])

/**
 * Checks a presentation that somebody has as a file, as an organisation would: form, signature, issuer, validity, key
 * binding to the audience and nonce of the file, status. Nothing is stored.
 *
 * NOT checked: whether the person who has the file is the holder; whether a link of that audience still works.
 *
 * @throws Fault `request.rate_limited`
 */
export async function checkPresentation(
  needs: Needs,
  tenant: Tenant,
  body: Static<typeof PresentationCheckBody>,
  ip: string,
): Promise<PresentationCheck> {
  countCheck(needs, tenant, ip)
  const sdJwt = nullIfFault(() => parseSdJwt(body.presentation))
  const vct = sdJwt === null ? undefined : memberOf(sdJwt.jwt.payload, 'vct')
  const type = typeof vct === 'string' ? vct : null
  const check = (issuers: readonly string[]) =>
    checkSdJwtPresentation(
      { ...needs, tenantId: tenant.id },
      body.presentation,
      expectedOf(needs, tenant, body, { type: type ?? '', issuers }),
    )
  const known = await check([])
  // The rest is worth knowing of an unknown issuer too. A type of this server is never taken from another issuer.
  const isUnknown = known.issues.filter(isDefect).every(({ code }) => /^issuer\.not_(trusted|allowed)$/.test(code))
  const checked = isUnknown && known.issues.some(isDefect) ? await check([ANY_ISSUER]) : known
  const checks = checksOf(checked.issues, checked.facts, { values: false, transaction: false }).filter(({ code }) =>
    shownChecks.has(code),
  )
  const isSigned = ['form', 'signature', 'holder_binding'].every((code) =>
    checks.some((one) => one.code === code && one.outcome === 'passed'),
  )
  const payload = sdJwt !== null && isSigned ? processSdJwt(sdJwt).payload : null
  return {
    isValid: sdJwt !== null && !checked.issues.some(isDefect),
    checks,
    issuer: await issuerOf(needs, tenant, type, checked),
    type,
    claims: payload === null ? null : subjectClaims(payload),
    validUntil: validUntilOf(sdJwt),
    isOfLink: body.audience.startsWith(`${needs.urls.publicUrl}/shared-links/`),
  }
}

/** Each check may fetch a status list and the key of an issuer. */
function countCheck({ rateLimiter, clock }: Needs, { id }: Tenant, ip: string): void {
  const now = clock.now()
  rateLimiter.admitAddress('verification.file_checks', ip, now)
  rateLimiter.admit('verification.file_checks_of_tenant', id, now)
  rateLimiter.countAddress('verification.file_checks', ip, now)
  rateLimiter.count('verification.file_checks_of_tenant', id, now)
}

function expectedOf(
  needs: Needs,
  tenant: Tenant,
  { audience, nonce }: Static<typeof PresentationCheckBody>,
  { type, issuers }: { readonly type: string; readonly issuers: readonly string[] },
): ExpectedPresentation {
  return {
    credential: { format: 'sd-jwt-vc', type, attributes: {}, issuers: [...issuers] },
    nonce,
    aud: audience,
    origin: null,
    responseUri: audience,
    encryptionKey: null,
    now: needs.clock.now(),
    keyBindingAgeMaxSeconds: KEY_BINDING_AGE_MAX_SECONDS,
    trust: trustOf(needs, tenant.id),
    verifier: { urls: needs.urls, slug: tenant.slug },
    policy: policyOf(tenant),
  }
}

async function issuerOf(
  needs: Needs,
  tenant: Tenant,
  type: string | null,
  { issuer: identifier, facts }: CheckedCredential,
): Promise<PresentationCheck['issuer']> {
  if (identifier === null) return null
  const basis = facts?.acceptedAs ?? null
  if (basis === 'own') return { identifier, name: tenant.name, trust: basis }
  if (basis === 'trusted_entity') {
    const entities = await trustedEntitiesFor(needs, tenant.id, 'issuer')
    const entity = entities.find(
      ({ dids, issuers }) => issuers.includes(identifier) || dids.some(({ did }) => did === identifier),
    )
    return { identifier, name: entity?.name ?? null, trust: basis }
  }
  if (basis !== 'type_owner') return { identifier, name: null, trust: 'unknown' }
  const slug = (type ?? '').slice(needs.urls.issuer('').length).split('/')[0] ?? ''
  const owner = await findTenant(needs, slug)
  return { identifier, name: owner?.name ?? null, trust: basis }
}

function validUntilOf(sdJwt: SdJwt | null): string | null {
  const exp = sdJwt === null ? undefined : memberOf(sdJwt.jwt.payload, 'exp')
  return typeof exp === 'number' && Math.abs(exp) < 8.64e12 ? new Date(exp * 1000).toISOString() : null
}

function subjectClaims(payload: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !isControlClaim(name)))
}
