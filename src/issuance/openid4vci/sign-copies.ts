import { toBase64url } from '../../crypto/base64url.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { toElements } from '../../protocols/mdoc/element-type.ts'
import { issueMdoc, type MdocDraft, type MdocSigner } from '../../protocols/mdoc/issue-mdoc.ts'
import type { ProvedKey } from '../../protocols/openid4vci/jwt-proof.ts'
import { issueSdJwtVc } from '../../protocols/sd-jwt-vc/issue-sd-jwt-vc.ts'
import { buildStatusClaim } from '../../protocols/status-list/status-claim.ts'
import type { ActiveSigner } from '../../trust/certificates/active-signer.ts'
import type { TenantSigner } from '../../trust/did/tenant-signer.ts'
import { statusListUri } from '../status/sign-status-list.ts'
import { rulesOf } from '../templates/attributes/mdoc-attributes.ts'
import { signerCertificateOf } from '../templates/credential-signer.ts'
import { type CredentialTemplate, type MdocDefinition, type SdJwtDefinition, vctOf } from '../templates/template.ts'
import { mdocValidity, type OwnValidity, validityOf, withOwnValidity } from '../templates/validity.ts'
import type { StatusEntries } from './credential-store.ts'

type Needs = Pick<Platform, 'urls' | 'clock'>

/** The copies to sign: the same content for each key, with its own salts and its own status list entry. [VCI-C15] */
type Signing = OwnValidity & {
  readonly template: CredentialTemplate
  readonly claims: JsonObject
  readonly issuedAt: Date
  readonly entries: StatusEntries | null
  readonly keys: readonly ProvedKey[]
}

/** What signs copies: a certificate, or a key that the tenant publishes itself. */
export type CopySigner = ActiveSigner | TenantSigner

/**
 * Signs the copies of a credential. Call it outside of any transaction.
 *
 * @throws Fault `credential_request.denied` if the credential would have expired, or no longer fits its signer
 */
export async function signCopies(
  needs: Needs,
  tenant: Tenant,
  signer: CopySigner,
  signing: Signing,
): Promise<string[]> {
  const definition = withOwnValidity(signing.template.definition, signing)
  if (definition.format === 'sd-jwt-vc') return signSdJwts(needs, tenant, signer, { ...signing, definition })
  if (!('x5c' in signer)) throw new Fault('certificate.none_active')
  return signMdocs(needs, tenant, signer, { ...signing, definition })
}

/**
 * Signs SD-JWT VCs. With a certificate `iss` is the issuer identifier; else `kid` names the key in the document behind
 * `iss`.
 */
async function signSdJwts(
  { urls, clock }: Needs,
  tenant: Tenant,
  signer: CopySigner,
  signing: Signing & { readonly definition: SdJwtDefinition },
): Promise<string[]> {
  const { definition, template, claims, issuedAt } = signing
  const { iat, nbf, exp } = validityOf(definition, issuedAt)
  if (exp !== undefined && exp <= clock.now()) throw new Fault('credential_request.denied')
  const issuer = urls.issuer(tenant.slug)
  const by =
    'x5c' in signer
      ? { iss: issuer, header: { x5c: signer.x5c }, notBefore: signer.notBefore }
      : { iss: signer.iss, header: { kid: signer.kid }, notBefore: iat }
  const draft = {
    claims,
    disclosure: definition.attributes,
    vct: vctOf(issuer, template.code),
    header: by.header,
    iss: by.iss,
    // [SEC-28] The certificate must be valid at `iat`, also after rounding.
    iat: by.notBefore > iat ? by.notBefore : iat,
    nbf,
    exp,
  }
  const made = signing.keys.map(({ jwk }, at) => {
    const status = statusOf(issuer, signing.entries, at)
    return issueSdJwtVc({ cnfJwk: jwk, ...draft, ...(status && { status }) }, signer.key)
  })
  return Promise.all(made)
}

/** Signs mdocs: base64url of IssuerSigned. [VCI-C12] */
async function signMdocs(
  { urls, clock }: Needs,
  tenant: Tenant,
  signer: ActiveSigner,
  signing: Signing & { readonly definition: MdocDefinition },
): Promise<string[]> {
  const { definition, claims, issuedAt } = signing
  const { docType, attributes } = definition
  const certificate = signerCertificateOf(signer)
  const validityInfo = mdocValidity(definition, certificate, issuedAt)
  if (validityInfo.validUntil <= clock.now()) throw new Fault('credential_request.denied')
  const { elements } = toElements(rulesOf(attributes), claims)
  const by = { key: signer.key, x5chain: signer.x5c.map((der) => Buffer.from(der, 'base64')), certificate }
  const issuer = urls.issuer(tenant.slug)
  const made = signing.keys.map(({ jwk: deviceKey }, at) => {
    const status = statusOf(issuer, signing.entries, at)
    return issued({ docType, elements, deviceKey, validityInfo, ...(status && { status }) }, by)
  })
  return Promise.all(made)
}

/**
 * Signs one mdoc. It was checked when the offer was created; a certificate of another country may have become active
 * since [MD-9].
 */
async function issued(draft: MdocDraft, by: MdocSigner): Promise<string> {
  try {
    return toBase64url(await issueMdoc(draft, by))
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'mdoc.unissuable') throw cause
    throw new Fault('credential_request.denied', { ...(cause.detail !== undefined && { notes: cause.detail }), cause })
  }
}

function statusOf(issuer: string, entries: StatusEntries | null, at: number) {
  const index = entries?.indices[at]
  return entries && index !== undefined && buildStatusClaim({ uri: statusListUri(issuer, entries.listId), index })
}
