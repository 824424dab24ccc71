import { TX_CODE_LENGTH, type WrittenDefinition } from '../../contract/issuance/credential-templates.ts'
import type { TenantPolicy } from '../../directory/tenants/tenant-policy.ts'
import type { TxCode } from '../../protocols/openid4vci/credential-offer.ts'
import type { AttestationPolicy } from '../../protocols/openid4vci/key-attestation.ts'
import type { Attributes } from './attributes/attributes.ts'
import type { NameSpaces } from './attributes/mdoc-attributes.ts'

/** The definition of an SD-JWT VC template. */
export type SdJwtDefinition = WrittenDefinition & { readonly format: 'sd-jwt-vc'; readonly attributes: Attributes }
/** The definition of an mdoc template. */
export type MdocDefinition = WrittenDefinition & {
  readonly format: 'mdoc'
  readonly docType: string
  readonly attributes: NameSpaces
}
/** The definition of a template at one version, as stored. */
export type TemplateDefinition = SdJwtDefinition | MdocDefinition
/** The format of issued credentials. */
export type CredentialTemplateFormat = TemplateDefinition['format']

/** One version of a credential template. `code` names the credential configuration and the type, and never changes. */
export type CredentialTemplate = {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly version: number
  readonly definition: TemplateDefinition
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly archivedAt: Date | null
}

/** Returns the name of a template's credentials in a language, else the one that it has in any. */
export function nameIn(
  language: string,
  { name, display }: { readonly name: string; readonly display?: TemplateDefinition['display'] | null },
): string {
  const translated = display?.translations?.find(({ locale }) => locale.toLowerCase().split('-')[0] === language)
  return translated?.name ?? display?.name ?? name
}

/** Returns the transaction code of a template as an offer describes it; null if there is none. */
export function txCodeOf({ txCode }: Pick<TemplateDefinition, 'txCode'>): (TxCode & { length: number }) | null {
  if (txCode === undefined) return null
  const { inputMode = 'numeric', length = TX_CODE_LENGTH, description = null } = txCode
  return { inputMode, length, description }
}

/** Returns which key attestations a template requires, by itself or by the policy of its tenant; null: none. */
export function attestationPolicyOf(
  { keyAttestation }: Pick<TemplateDefinition, 'keyAttestation'>,
  { requiresKeyAttestations }: Pick<TenantPolicy['issuing'], 'requiresKeyAttestations'>,
): AttestationPolicy | null {
  return keyAttestation ?? (requiresKeyAttestations ? {} : null)
}

/**
 * Returns the type of a template's credentials: the document type of an mdoc, else the `vct`.
 *
 * @param issuer The Credential Issuer Identifier.
 */
export function typeOf(issuer: string, { code, definition }: Pick<CredentialTemplate, 'code' | 'definition'>): string {
  return definition.format === 'mdoc' ? definition.docType : vctOf(issuer, code)
}

/**
 * Returns the `vct` of a template's credentials, the URL of its type metadata.
 *
 * @param issuer The Credential Issuer Identifier.
 */
export function vctOf(issuer: string, code: string): string {
  return `${issuer}/vct/${code}`
}

/**
 * Returns a type in the form in which stored templates are compared: the code of a `vct` of the issuer, or else a
 * document type.
 */
export function typeKeyOf(issuer: string, type: string): string {
  const vct = vctOf(issuer, '')
  return type.startsWith(vct) ? `code ${type.slice(vct.length)}` : `type ${type}`
}

/** Returns the images and the colors of a template by the names that type and issuer metadata share. */
export function renderingOf({
  logo,
  backgroundImage,
  backgroundColor,
  textColor,
}: NonNullable<TemplateDefinition['display']>) {
  return {
    ...(logo !== undefined && {
      logo: { uri: logo.uri, ...(logo.altText !== undefined && { alt_text: logo.altText }) },
    }),
    ...(backgroundImage !== undefined && { background_image: backgroundImage }),
    ...(backgroundColor !== undefined && { background_color: backgroundColor }),
    ...(textColor !== undefined && { text_color: textColor }),
  }
}
