import type { JsonObject } from '../../crypto/json.ts'
import { Fault, type Violation } from '../../fault.ts'
import { isDid } from '../../protocols/did/did.ts'
import { asPeerUrl, type PeerPolicy } from '../../protocols/shape.ts'
import { inferFormat, readRequestedAttributes } from './attribute-grammar.ts'
import {
  ANY_ISSUER,
  type TemplateContent,
  type TemplateCredential,
  type VerifierConfig,
} from './presentation-template.ts'
import { checkRedirectUri, type RedirectPolicy } from './redirect-uris.ts'
import type { PresentationTemplateBody } from './schemas.ts'
import { positionOf } from './template-query.ts'

/**
 * Makes a template out of a body that fits its schema: infers formats, and checks what the schema cannot say.
 *
 * @param redirects Where the tenant may send browsers, and whether issuers may be on loopback hosts.
 * @param unknownEntities Which of the body's trusted entities do not exist.
 * @throws Fault `request.invalid` with every violation at once.
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
  // The schema keeps unknown members, and they are JSON.
  const verifierConfig = (body.verifierConfig ?? null) as VerifierConfig | null
  checkConfig(verifierConfig, credentials, redirects, violations)
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  const { name, description, retentionSeconds = null } = body
  return { name, description, credentials, verifierConfig, retentionSeconds }
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
  violations.push(...readRequestedAttributes(attributes, format, `${pointer}/attributes`).violations)
  for (const [i, id] of trustedIssuers.entries()) {
    if (!unknownEntities.has(id)) continue
    violations.push({ detail: `There is no trusted entity ${id}.`, pointer: `${pointer}/trustedIssuers/${i}` })
  }
  return {
    ...{ ...rest, format, attributes },
    // as the ids of entities are written
    ...(trustedIssuers.length > 0 && { trustedIssuers: trustedIssuers.map((id) => id.toLowerCase()) }),
  }
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
        ? '"*" allows any issuer, so no other issuer and no trusted entity can be named beside it.'
        : 'An issuer is a DID, an https URL without query, or the subject key identifier of a certificate in hex.'
    return [{ detail, pointer: `${pointer}/${i}` }]
  })
}

function isIssuer(issuer: string, peers: PeerPolicy): boolean {
  const isKeyId = /^([0-9a-f]{2}){8,64}$/i.test(issuer)
  return isKeyId || isDid(issuer) || (asPeerUrl(issuer, peers) !== null && !issuer.includes('?'))
}

/** Members that exclude each other whatever certificates there are. */
function checkSigner({ signer, keyType, clientIdPrefix }: VerifierConfig): readonly Violation[] {
  if (signer !== 'did:web') return []
  const violations: Violation[] = []
  if (keyType === 'Ed25519') {
    violations.push({ detail: 'The did:web has no Ed25519 key.', pointer: '/verifierConfig/keyType' })
  }
  if (clientIdPrefix !== undefined) {
    const detail = 'clientIdPrefix is for requests that are signed with a certificate.'
    violations.push({ detail, pointer: '/verifierConfig/clientIdPrefix' })
  }
  return violations
}

function checkConfig(
  config: VerifierConfig | null,
  credentials: readonly TemplateCredential[],
  redirects: RedirectPolicy,
  violations: Violation[],
): void {
  const { redirectUri, credentialSets = [] } = config ?? {}
  violations.push(...checkSigner(config ?? {}))
  if (redirectUri !== undefined) {
    violations.push(...checkRedirectUri(redirectUri, '/verifierConfig/redirectUri', redirects))
  }
  for (const [i, set] of credentialSets.entries()) {
    for (const [j, option] of set.options.entries()) {
      for (const [k, named] of option.entries()) {
        if (positionOf(named, credentials) !== null) continue
        const pointer = `/verifierConfig/credentialSets/${i}/options/${j}/${k}`
        violations.push({ detail: 'A set names credentials of this template, by name or by position.', pointer })
      }
    }
  }
}
