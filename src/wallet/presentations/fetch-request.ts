import type { TenantId } from '../../caller.ts'
import type { TrustBasis } from '../../contract/wallet/trust-basis.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { randomToken } from '../../crypto/random.ts'
import { isUnanchoredChain } from '../../crypto/x509-path/unanchored-chain.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import {
  type AuthenticatedRequest,
  authenticatePlain,
  authenticateSigned,
  authenticateUnsigned,
  parseRequestObject,
  type SignedRequest,
} from '../../protocols/openid4vp/authenticate-request.ts'
import { type CheckedRequest, checkRequest } from '../../protocols/openid4vp/check-request.ts'
import { type RequestLink, readRequestLink } from '../../protocols/openid4vp/request-link.ts'
import { REQUEST_OBJECT_MEDIA_TYPE } from '../../protocols/openid4vp/request-object.ts'
import { buildRequestUriForm } from '../../protocols/openid4vp/request-uri-post.ts'
import { isTextList } from '../../protocols/shape.ts'
import { didKey } from '../../trust/did/did-key.ts'
import { certifiedVerifier, verifierRevocation } from '../../trust/issuers/certified-verifier.ts'
import { certifiedBy, findVerifierDid } from '../../trust/issuers/is-trusted.ts'
import { trustOperation } from '../../trust/issuers/unanchored.ts'
import { trustedAnchors } from '../../trust/trusted-entities/tenant-trust.ts'
import { bytesMax, isOk, type OutboundPeer, peersOf, requestRuleOf, upstreamRefusal } from '../credentials/upstream.ts'
import { openFormats } from '../credentials/wallet-format.ts'
import { attestedVerifier, findRegistered, registeredVerifier } from './stated-verifiers.ts'
import { type Statements, verifierStatements } from './statements.ts'
import { transactionTypesOf } from './transactions.ts'

/** A valid request, which the holder may answer. */
export type FetchedRequest = CheckedRequest &
  Pick<Statements, 'purposes' | 'retentionSeconds' | 'verifierInfo'> & {
    readonly verifier: VerifierTrust
    /**
     * Where the verifier says that its logo is; null: none, or an unknown verifier, whose picture could be that of
     * another.
     */
    readonly logoUri: string | null
    readonly alwaysBound: boolean
  }

/**
 * How far a verifier is authenticated. `signed`: it proved its client id. `trusted`: it is the tenant itself, or the
 * tenant trusts it. `name`: of the tenant, or the subject of a trusted certificate; null: only its client id is known.
 */
type VerifierTrust = {
  readonly signed: boolean
  readonly trusted: boolean
  readonly name: string | null
  /** The verifier is the tenant itself. */
  readonly own?: boolean
  /** Why it is trusted, or what was looked for. */
  readonly basis: TrustBasis
  /** What the verifier calls itself. */
  readonly statedName: string | null
}
type Identified = AuthenticatedRequest & Omit<VerifierTrust, 'statedName'>

type Needs = OutboundPeer & Pick<Platform, 'clock' | 'store' | 'urls'>

const CHAIN_MAX = 6

/**
 * Fetches a presentation request and makes every check of a wallet. No error is sent for a refused request, since its
 * `response_uri` cannot be relied on [VP-S2].
 *
 * @throws Fault `presentation_request.*`, `dcql.invalid`, `upstream.*`
 * @see [OpenID4VP 1.0, 5](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-authorization-request)
 */
export async function fetchRequest(
  platform: Omit<Needs, 'tenantId'>,
  tenantId: TenantId,
  presentationRequest: string,
): Promise<FetchedRequest> {
  const link = readRequestLink(presentationRequest, peersOf(platform))
  // [VP-U2] a nonce of ours binds the request object to this fetch
  const walletNonce = link.kind === 'reference' && link.method === 'post' ? randomToken(16) : null
  const tenant = await findTenantOf(platform, tenantId)
  const { presenting } = policyOf(tenant)
  const isCertified = link.kind === 'reference' && link.client.prefix === 'x509_hash'
  if (presenting.requiresCertifiedRequests && !isCertified) throw insecure()
  const authenticated = await authenticate({ ...platform, tenantId }, tenant, link, walletNonce)
  if (!authenticated.trusted && tenant?.settings.verifierPolicy === 'trusted') throw untrusted(platform)
  const wallet = {
    formats: await openFormats(platform, tenantId),
    holderAlg: 'ES256',
    ...(walletNonce === null ? {} : { walletNonce }),
    ...(link.kind === 'reference' && { requestUri: link.requestUri }),
    transactionTypes: transactionTypesOf(tenant),
  } as const
  try {
    const request = checkRequest(authenticated, wallet, platform.clock.now())
    if (presenting.requiresEncryptedResponses && request.recipient === null) throw insecure()
    const { signed, trusted, name, own = false, basis } = authenticated
    const { statedName, purposes, retentionSeconds, verifierInfo, logoUri } = verifierStatements(authenticated)
    return {
      ...request,
      purposes,
      retentionSeconds,
      verifierInfo,
      alwaysBound: presenting.requiresHolderBinding,
      verifier: { signed, trusted, name, own, basis, statedName },
      logoUri: signed && (trusted || own) ? logoUri : null,
    }
  } catch (error) {
    throw atCallersBody(error)
  }
}

async function authenticate(
  platform: Needs,
  tenant: Tenant | null,
  link: RequestLink,
  walletNonce: string | null,
): Promise<Identified> {
  const { tenantId } = platform
  const peers = peersOf(platform)
  const unknown = { trusted: false, name: null, basis: { lookedFor: [link.client.full] } }
  // before anything is fetched
  const registered = link.client.prefix === 'pre-registered' ? findRegistered(tenant, link.client) : null
  if (link.kind === 'plain') return { ...authenticatePlain(link.parameters, link.client, peers), ...unknown }
  const jwt = link.kind === 'signed' ? link.jwt : await fetchObject(platform, link, walletNonce)
  if (link.client.prefix === 'redirect_uri') return { ...authenticateUnsigned(jwt, link.client, peers), ...unknown }
  const signed = parseRequestObject(jwt, link.client)
  if (registered !== null || link.client.prefix === 'verifier_attestation') {
    const found =
      registered === null ? await attestedVerifier(platform, tenantId, signed) : registeredVerifier(registered, signed)
    return {
      ...authenticateSigned(signed, { stated: found.stated }, peers),
      trusted: true,
      name: found.name,
      basis: found.basis,
    }
  }
  if (link.client.prefix !== 'decentralized_identifier') return authenticateCertified(platform, tenant, signed)
  const request = authenticateSigned(signed, { didKey: await verifierKey(platform, signed) }, peers)
  // users of an organisation trust it as a verifier
  if (tenant !== null && link.client.id === platform.urls.did(tenant.slug)) {
    return { ...request, trusted: true, own: true, name: tenant.name, basis: { identifier: link.client.id } }
  }
  const found = await findVerifierDid(platform, tenantId, link.client.id)
  if (found !== null) return { ...request, trusted: true, name: null, basis: found }
  return { ...request, ...unknown, basis: { lookedFor: [link.client.id] } }
}

/**
 * OpenID4VP 1.0, 5.9.3: accepts a certificate that the tenant trusts or, unless its policy is `trusted`, one for the
 * host of the `response_uri`.
 */
async function authenticateCertified(
  platform: Needs,
  tenant: Tenant | null,
  signed: SignedRequest,
): Promise<Identified> {
  const { tenantId } = platform
  const known = { anchors: await trustedAnchors(platform, tenantId), now: platform.clock.now() }
  const { x5c: sent } = signed.jws.header
  if (policyOf(tenant).presenting.requiresCertifiedRequests && !isUnanchoredChain(sent)) throw insecure()
  const revocation = await verifierRevocation(platform, isTextList(sent, CHAIN_MAX) ? sent : [], known)
  const uri = signed.jws.payload.response_uri
  const acceptsAny = tenant?.settings.verifierPolicy !== 'trusted' && typeof uri === 'string' && URL.canParse(uri)
  const beyond = { address: acceptsAny ? uri : null, operation: trustOperation(platform) }
  const by: Certified = { name: null, own: false, certificate: { subject: '', root: null }, entityId: null }
  const trustChain = (x5c: readonly string[], client: SignedRequest['client']) => {
    const found = certifiedVerifier(x5c, client, { ...known, revocation }, beyond)
    // an organisation is shown to its own users by its name
    Object.assign(by, { own: found.isOwn, certificate: found.certificate, entityId: found.entityId })
    by.name = found.isOwn && tenant !== null ? tenant.name : found.name
    return found.key
  }
  const request = authenticateSigned(signed, { trustChain }, peersOf(platform))
  const { name, own, certificate } = by
  return {
    ...request,
    trusted: name !== null,
    name,
    own,
    basis: { certificate, ...(await certifiedBy(platform, tenantId, { ...by, isTrusted: name !== null })) },
  }
}

/** What a certificate says. `name`: null if its root is unknown. */
type Certified = { name: string | null; own: boolean } & Pick<
  ReturnType<typeof certifiedVerifier>,
  'certificate' | 'entityId'
>

function insecure(): Fault {
  const detail =
    'The organisation follows HAIP 1.0: a request must be by reference, signed under x509_hash with x5c that has no self-signed certificate, and ask for an encrypted response.'
  return new Fault('presentation_request.invalid', { detail })
}

function untrusted(platform: Pick<Platform, 'config'>): Fault {
  const operation = trustOperation(platform)
  const detail = `The organisation accepts only verifiers that it trusts. Add this one with ${operation}.`
  return new Fault('presentation_request.client', {
    detail,
    meta: { trust: { operation }, rule: 'verifier.untrusted' },
  })
}

async function fetchObject(
  { fetch, tenantId }: Needs,
  { requestUri, client }: Extract<RequestLink, { kind: 'reference' }>,
  walletNonce: string | null,
): Promise<string> {
  // [VP-U3] no redirects, and any HTTP error ends it. [VP-U6] nothing that distinguishes one wallet from another
  // RFC 9101 4: existing deployments may use the general type; the `typ` of the object is what counts
  const read = { accept: [REQUEST_OBJECT_MEDIA_TYPE, 'application/jwt'], bytesMax: bytesMax.requestObject }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const post =
    walletNonce === null ? {} : ({ method: 'POST', headers, body: buildRequestUriForm(walletNonce, client) } as const)
  const answer = await fetch(tenantId, requestUri, { ...read, ...post })
  if (!isOk(answer))
    throw upstreamRefusal(
      answer,
      'presentation_request.invalid',
      'The request was not found at its address.',
      requestRuleOf(answer),
    )
  return answer.body.toString('utf8')
}

/** OpenID4VP 1.0, 5.9.3: returns the key that `kid` names in the DID document of the verifier. */
async function verifierKey(platform: Needs, { client, kid }: SignedRequest): Promise<PublicJwk> {
  // OpenID4VP 5.9.3: `kid` is required
  if (kid === null) throw new Fault('presentation_request.invalid', { detail: 'The request object names no key.' })
  const named = kid.includes(':') ? kid : `${client.id}${kid.startsWith('#') ? '' : '#'}${kid}`
  try {
    return await didKey(platform, client.id, named, platform.clock.now(), 'authentication').catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'did.unresolvable') throw error
      return didKey(platform, client.id, named, platform.clock.now())
    })
  } catch (cause) {
    if (cause instanceof Fault && cause.code.startsWith('upstream.')) throw cause
    throw new Fault('presentation_request.invalid', { detail: 'The key of the verifier cannot be found.', cause })
  }
}

/** Points violations of the verifier's query to the member of the caller's body that names the request. */
function atCallersBody(error: unknown): unknown {
  if (!(error instanceof Fault) || error.violations === undefined) return error
  const violations = error.violations.map(({ detail, pointer: at }) => ({
    detail: `The DCQL query of the verifier is not valid at ${at || '/'}: ${detail}.`,
    pointer: '/presentationRequest',
  }))
  return new Fault(error.code, { violations, cause: error })
}
