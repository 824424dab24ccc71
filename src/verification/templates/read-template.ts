import type { PresentationTemplateBody } from '../../contract/verification/presentation-templates.ts'
import { templateFormats } from '../../contract/verification/requested-credentials.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { OwnRule } from '../../fault/rules.ts'
import { Fault, type Violation } from '../../fault.ts'
import { isDid } from '../../protocols/did/did.ts'
import { subjectOfAttestation } from '../../protocols/openid4vp/verifier-attestation.ts'
import { asPeerUrl, type PeerPolicy } from '../../protocols/shape.ts'
import { inferFormat, type RequestedClaim, readRequestedAttributes } from './attribute-grammar.ts'
import {
  ANY_ISSUER,
  type TemplateContent,
  type TemplateCredential,
  type VerifierConfig,
} from './presentation-template.ts'
import { checkRedirectUri, type RedirectPolicy } from './redirect-uris.ts'
import { claimPositionOf, credentialPosition } from './template-query.ts'

/**
 * Returns the template of a body that matches its schema: infers formats, and checks the rules that the schema cannot
 * express.
 *
 * @param redirects Also says whether issuers may be on loopback hosts.
 * @param unknownEntities The trusted entities of the body that do not exist.
 * @throws Fault `request.invalid` with all violations
 */
export function readPresentationTemplate(
  body: PresentationTemplateBody,
  redirects: RedirectPolicy,
  unknownEntities: ReadonlySet<string>,
): TemplateContent {
  const violations: Violation[] = []
  const credentials = body.credentials.map((one, i) =>
    readCredential(one, `/credentials/${i}`, unknownEntities, redirects, violations),
  )
  const { verifierConfig = null } = body
  checkConfig(verifierConfig, credentials, redirects, violations)
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  const { name, description, retentionSeconds = null } = body
  return { name, description, credentials, verifierConfig, retentionSeconds }
}

/** Returns the violations of the attributes in a body that its schema refuses. */
export function requestedViolations(body: unknown): readonly Violation[] {
  const credentials = isJsonObject(body) && Array.isArray(body.credentials) ? body.credentials : []
  return credentials.flatMap((one: Json, i) => {
    if (!isJsonObject(one) || !isJsonObject(one.attributes)) return []
    const { type, attributes, format: named = inferFormat(typeof type === 'string' ? type : '', attributes) } = one
    const format = templateFormats.find((known) => known === named)
    return format === undefined
      ? []
      : readRequestedAttributes(attributes, format, `/credentials/${i}/attributes`).violations
  })
}

function readCredential(
  body: PresentationTemplateBody['credentials'][number],
  pointer: string,
  unknownEntities: ReadonlySet<string>,
  peers: PeerPolicy,
  violations: Violation[],
): TemplateCredential {
  const { format: named, attributes: raw, trustedIssuers = [], ...rest } = body
  violations.push(...issuerViolations(rest.issuers ?? [], trustedIssuers.length, peers, `${pointer}/issuers`))
  // The body was parsed from JSON.
  const attributes = raw as JsonObject
  const format = named ?? inferFormat(body.type, attributes)
  const read = readRequestedAttributes(attributes, format, `${pointer}/attributes`)
  violations.push(...read.violations, ...claimSetViolations(rest.claimSets ?? [], read.claims, `${pointer}/claimSets`))
  for (const [i, id] of trustedIssuers.entries()) {
    if (!unknownEntities.has(id)) continue
    violations.push({
      detail: `There is no trusted entity ${id}.`,
      pointer: `${pointer}/trustedIssuers/${i}`,
      rule: 'trusted_entity.unknown',
    })
  }
  if (rest.trustedIssuersInQuery === true && (trustedIssuers.length === 0 || rest.trustedAuthorities !== undefined)) {
    const detail = 'Only a credential with trustedIssuers, and without trustedAuthorities, can have them in its query.'
    violations.push({ detail, pointer: `${pointer}/trustedIssuersInQuery`, rule: 'request.authorities_twice' })
  }
  return {
    ...rest,
    format,
    attributes,
    ...(trustedIssuers.length > 0 && { trustedIssuers: trustedIssuers.map((id) => id.toLowerCase()) }),
  }
}

function claimSetViolations(
  sets: NonNullable<TemplateCredential['claimSets']>,
  claims: readonly RequestedClaim[],
  pointer: string,
): readonly Violation[] {
  const detail = 'An entry must be the name or path of an attribute of this credential.'
  return sets.flatMap((set, i) =>
    set.flatMap((one, j): Violation[] => {
      if (claimPositionOf(one, claims) !== null) return []
      return [{ detail, pointer: `${pointer}/${i}/${j}`, rule: 'request.unknown_attribute' }]
    }),
  )
}

function issuerViolations(
  issuers: readonly string[],
  entities: number,
  peers: PeerPolicy,
  pointer: string,
): readonly Violation[] {
  return issuers.flatMap((issuer, i) => {
    const isAlone = issuers.length === 1 && entities === 0
    if (issuer === ANY_ISSUER ? isAlone : isIssuer(issuer, peers)) return []
    const detail =
      issuer === ANY_ISSUER
        ? '"*" allows any issuer and must be the only one, without trusted entities.'
        : 'An issuer must be a DID, an https URL without query, or the subject key identifier of a certificate in hex.'
    return [
      { detail, pointer: `${pointer}/${i}`, rule: issuer === ANY_ISSUER ? 'request.any_issuer' : 'request.issuer' },
    ]
  })
}

function isIssuer(issuer: string, peers: PeerPolicy): boolean {
  const isKeyId = /^([0-9a-f]{2}){8,64}$/i.test(issuer)
  return isKeyId || isDid(issuer) || (asPeerUrl(issuer, peers) !== null && !issuer.includes('?'))
}

function checkSigner(config: VerifierConfig): readonly Violation[] {
  const { signer, keyType, clientIdPrefix } = config
  const stated = checkStatedClient(config)
  if (stated !== null) return stated
  if (clientIdPrefix === 'redirect_uri' && (signer !== undefined || keyType !== undefined)) {
    const detail = 'A request with the prefix redirect_uri is not signed, so it has no signer and no keyType.'
    return [{ detail, pointer: '/verifierConfig/clientIdPrefix', rule: 'signer.unsigned' }]
  }
  if (signer !== 'did:web') return []
  const violations: Violation[] = []
  if (keyType === 'Ed25519') {
    violations.push({
      detail: 'keyType must be P-256: the did:web has no Ed25519 key.',
      pointer: '/verifierConfig/keyType',
      rule: 'signer.did_key',
    })
  }
  if (clientIdPrefix !== undefined) {
    const detail = 'clientIdPrefix requires a request that is signed with a certificate.'
    violations.push({ detail, pointer: '/verifierConfig/clientIdPrefix', rule: 'signer.did_prefix' })
  }
  return violations
}

/**
 * OpenID4VP 1.0, 5.9.3: clients that are not identified by a certificate sign with the key of the tenant. Null: the
 * prefix is another one.
 */
function checkStatedClient(config: VerifierConfig): readonly Violation[] | null {
  const { signer, keyType, clientIdPrefix: prefix, clientId, verifierAttestation: attestation } = config
  const wrong = (member: string, rule: OwnRule, detail: string): Violation[] => [
    { detail, pointer: `/verifierConfig/${member}`, rule },
  ]
  const client = (rule: OwnRule, detail: string) => wrong('clientId', rule, detail)
  const attested = (rule: OwnRule, detail: string) => wrong('verifierAttestation', rule, detail)
  if (prefix !== 'pre-registered' && prefix !== 'verifier_attestation') {
    const extra = [
      ...(clientId === undefined ? [] : client('verifier.client_extra', 'clientId is only for pre-registered.')),
      ...(attestation === undefined
        ? []
        : attested('verifier.attestation_extra', 'verifierAttestation is only for verifier_attestation.')),
    ]
    return extra.length > 0 ? extra : null
  }
  if (signer === 'certificate' || keyType !== undefined)
    return wrong('clientIdPrefix', 'signer.uncertified', 'This prefix has no certificate and no keyType.')
  if (prefix === 'pre-registered')
    return clientId === undefined ? client('verifier.client_needed', 'pre-registered requires clientId.') : []
  if (attestation === undefined)
    return attested('verifier.attestation_needed', 'verifier_attestation requires verifierAttestation.')
  if (subjectOfAttestation(attestation) !== null) return []
  return attested('verifier.attestation', 'It must be a Verifier Attestation JWT with a sub.')
}

function checkConfig(
  config: VerifierConfig | null,
  credentials: readonly TemplateCredential[],
  redirects: RedirectPolicy,
  violations: Violation[],
): void {
  const { redirectUri, credentialSets = [], verifierInfo = [] } = config ?? {}
  violations.push(...checkSigner(config ?? {}))
  if (credentials.every(({ optional }) => optional === true))
    violations.push({
      detail: 'At least one credential must not be optional.',
      pointer: '/credentials',
      rule: 'request.all_optional',
    })
  if (redirectUri !== undefined) {
    violations.push(...checkRedirectUri(redirectUri, '/verifierConfig/redirectUri', redirects))
  }
  for (const [i, set] of credentialSets.entries())
    for (const [j, option] of set.options.entries())
      violations.push(...unknownIn(option, credentials, `/verifierConfig/credentialSets/${i}/options/${j}`))
  for (const [i, { credentials: named = [] }] of verifierInfo.entries())
    violations.push(...unknownIn(named, credentials, `/verifierConfig/verifierInfo/${i}/credentials`))
}

function unknownIn(
  named: readonly (string | number)[],
  credentials: readonly TemplateCredential[],
  pointer: string,
): readonly Violation[] {
  const detail = 'An entry must be the name or position of a credential of this template.'
  return named.flatMap((one, i): Violation[] => {
    if (credentialPosition(one, credentials) !== null) return []
    return [{ detail, pointer: `${pointer}/${i}`, rule: 'request.unknown_credential' }]
  })
}
