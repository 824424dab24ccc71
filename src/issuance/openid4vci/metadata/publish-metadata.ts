import { describeServer } from '../../../authorization/server/endpoint/describe-server.ts'
import type { Tenant } from '../../../directory/tenants/tenant.ts'
import { policyOf, type TenantPolicy } from '../../../directory/tenants/tenant-policy.ts'
import { preferredLanguage } from '../../../http/routes/accept.ts'
import type { Platform } from '../../../platform.ts'
import {
  buildIssuerMetadata,
  type ConfigurationInput,
  type Display,
} from '../../../protocols/openid4vci/build-metadata.ts'
import { catalogVersion } from '../../templates/catalog-lease.ts'
import {
  cardFirst,
  describeClaims,
  describeElements,
  type ElementDescription,
  type TemplateClaimDescription,
} from '../../templates/claim-descriptions.ts'
import { credentialSigner } from '../../templates/credential-signer.ts'
import {
  attestationPolicyOf,
  type CredentialTemplate,
  renderingOf,
  type SdJwtDefinition,
  vctOf,
} from '../../templates/template.ts'
import { listOffered } from '../../templates/template-store.ts'
import { issuerInstance } from '../issuer-instance.ts'
import { requestEncryptionKey } from '../request-encryption.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>
type Alg = ConfigurationInput['signingAlgs'][number]

/** Issuer metadata as JSON. `language`: its primary subtag, where displays in other languages are left out. */
export type PublishedMetadata = { readonly document: string; readonly language: string | null }

/**
 * Returns the issuer metadata of a tenant, in the one of its languages that the client prefers, if there is one. A
 * change of the catalog's version invalidates the cached document in every process, so a new template can be offered at
 * once.
 *
 * @param acceptLanguage The header of the request.
 * @see [OpenID4VCI 1.0, 12.2](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-issuer-metadata)
 */
export async function publishIssuerMetadata(
  needs: Needs,
  tenant: Tenant,
  acceptLanguage?: string,
): Promise<PublishedMetadata> {
  const { store, clock, urls, memory } = needs
  const cache = memory.cache<Published>('issuance.issuer_metadata')
  // The version is read before the templates: a document may be newer than its cache key, never older.
  const version = await catalogVersion(needs, tenant.id)
  const alg = await openAlg(needs, tenant)
  const { kid, publicJwk: jwk } = await requestEncryptionKey(needs, tenant)
  const name = `${tenant.id}|${version}|${tenant.catalogVersion}|${alg}|${kid}`
  const all = cache.get(name, clock.now())
  const language = all === undefined ? null : preferredLanguage(acceptLanguage, all.languages)
  const cached = language === null ? all : cache.get(`${name}|${language}`, clock.now())
  if (cached !== undefined) return { document: cached.document, language }
  const templates = await store.single(tenant.id, (tx) => listOffered(tx, clock.now()))
  const encryption = { kid, jwk, isRequired: policyOf(tenant).issuing.requiresEncryption }
  const metadata = issuerMetadata(urls.issuer(tenant.slug), tenant, templates, { alg, encryption })
  const languages = [...new Set(templates.flatMap(languagesOf))]
  cache.set(name, { document: JSON.stringify(metadata), languages }, clock.now())
  const preferred = preferredLanguage(acceptLanguage, languages)
  const document = JSON.stringify(metadata, (key, value) => (key === 'display' ? inLanguage(value, preferred) : value))
  if (preferred !== null) cache.set(`${name}|${preferred}`, { document, languages }, clock.now())
  return { document, language: preferred }
}

/** What is cached. `languages`: primary subtags of all that the displays are in. */
type Published = { readonly document: string; readonly languages: readonly string[] }

function languagesOf({ definition: { display = {} } }: CredentialTemplate): string[] {
  const locales = [display.locale, ...(display.translations ?? []).map(({ locale }) => locale)]
  return locales.flatMap((one) => (one === undefined ? [] : [primaryOf(one)]))
}

function primaryOf(locale: string): string {
  return locale.split('-', 1)[0]?.toLowerCase() ?? ''
}

/** Returns the entries of a display in a language, and those that state none; all of them if there is none. */
function inLanguage(display: readonly Display[], language: string | null): readonly Display[] {
  const kept = display.filter(({ locale }) => locale === undefined || primaryOf(locale) === language)
  return language === null || kept.length === 0 ? display : kept
}

/** Algorithm of SD-JWT VCs whose template names no signer: EdDSA if the only certificate has an Ed25519 key. */
async function openAlg(needs: Needs, tenant: Tenant): Promise<Alg> {
  // Without a certificate nothing can be issued there, but the metadata is.
  if (policyOf(tenant).issuing.signer !== null) return 'ES256'
  const open = { format: 'sd-jwt-vc', attributes: {}, revocable: true } as const
  return (await credentialSigner(needs, tenant, open))?.key.alg ?? 'ES256'
}

function issuerMetadata(
  issuer: string,
  tenant: Tenant,
  templates: readonly CredentialTemplate[],
  { alg, encryption }: Pick<Parameters<typeof buildIssuerMetadata>[0], 'encryption'> & { readonly alg: Alg },
) {
  const { name, settings } = tenant
  const policy = policyOf(tenant).issuing
  return buildIssuerMetadata({
    credentialIssuer: issuer,
    credentialEndpoint: `${issuer}/credential`,
    nonceEndpoint: `${issuer}/nonce`,
    deferredEndpoint: `${issuer}/deferred-credential`,
    notificationEndpoint: `${issuer}/notification`,
    batchSize: Math.max(1, ...templates.map(({ definition }) => definition.batchSize ?? 1)),
    ...(encryption && { encryption }),
    display: [
      { name, ...(typeof settings.logoUri === 'string' && { logo: { uri: settings.logoUri, alt_text: name } }) },
    ],
    configurations: Object.fromEntries(templates.map((one) => [one.code, configurationOf(issuer, one, alg, policy)])),
  })
}

function configurationOf(
  issuer: string,
  { code, name, definition }: CredentialTemplate,
  alg: Alg,
  policy: TenantPolicy['issuing'],
): ConfigurationInput {
  const keyAttestation = attestationPolicyOf(definition, policy)
  const { locale, cardLine } = definition.display ?? {}
  const shared = {
    // [HAIP-3] Tenant-wide unique, as codes are.
    scope: code,
    proofAlgs: ['ES256', 'EdDSA'],
    display: displaysOf(name, definition),
    ...(keyAttestation !== null && { keyAttestation }),
  }
  if (definition.format === 'mdoc') {
    const type = { format: 'mso_mdoc', doctype: definition.docType } as const
    return {
      ...shared,
      type,
      signingAlgs: ['ES256'],
      claims: cardFirst(describeElements(definition), cardLine).map((one) => claimOf(one, locale)),
    }
  }
  const type = { format: 'dc+sd-jwt', vct: vctOf(issuer, code) } as const
  return {
    ...shared,
    type,
    signingAlgs: [algOf(definition, alg)],
    claims: cardFirst(describeClaims(definition.attributes), cardLine).map((one) => claimOf(one, locale)),
  }
}

function algOf({ signer }: SdJwtDefinition, open: Alg): Alg {
  if (signer?.keyType !== undefined) return signer.keyType === 'Ed25519' ? 'EdDSA' : 'ES256'
  return signer?.kind === 'did:web' ? 'ES256' : open
}

function claimOf(
  {
    path,
    mandatory,
    attribute,
  }: Pick<TemplateClaimDescription | ElementDescription, 'path' | 'mandatory' | 'attribute'>,
  locale: string | undefined,
) {
  const { name, names = {} } = attribute
  const display = [
    ...(name !== undefined ? [{ name, ...(locale !== undefined && { locale }) }] : []),
    ...Object.entries(names).map(([other, text]) => ({ name: text, locale: other })),
  ]
  return { path, ...(mandatory && { mandatory }), ...(display.length > 0 && { display }) }
}

/** The look in the language of the template, then in its others: a wallet takes the whole entry of its language. */
function displaysOf(name: string, { display = {}, description }: CredentialTemplate['definition']): Display[] {
  const about = display.description ?? description
  const look = renderingOf(display)
  const own = {
    name: display.name ?? name,
    ...(display.locale !== undefined && { locale: display.locale }),
    ...(about !== undefined && { description: about }),
    ...look,
  }
  return [own, ...(display.translations ?? []).map((one) => ({ ...one, ...look }))]
}

/** Returns the authorization server metadata of a tenant as JSON: each issuer is its own authorization server. */
export function publishServerMetadata(
  needs: Pick<Platform, 'memory' | 'clock' | 'urls' | 'store'>,
  tenant: Tenant,
): string {
  const { memory, clock } = needs
  const name = `${needs.urls.issuer(tenant.slug)} ${JSON.stringify(policyOf(tenant).issuing)}`
  const cache = memory.cache<string>('issuance.server_metadata')
  const cached = cache.get(name, clock.now())
  if (cached !== undefined) return cached
  const document = JSON.stringify(describeServer(issuerInstance(needs, tenant)))
  cache.set(name, document, clock.now())
  return document
}
