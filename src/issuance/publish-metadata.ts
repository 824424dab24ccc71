import { Recent } from '../directory/recent.ts'
import type { Tenant } from '../directory/tenant.ts'
import type { Platform } from '../platform.ts'
import {
  buildIssuerMetadata,
  buildServerMetadata,
  type ConfigurationAsk,
  type Display,
} from '../protocols/openid4vci/build-metadata.ts'
import { PRE_AUTHORIZED_GRANT } from '../protocols/openid4vci/credential-offer.ts'
import type { Store } from '../store/store.ts'
import { describeClaims } from './claim-descriptions.ts'
import { type Template, vctOf } from './template.ts'
import { findCatalogVersion, listOffered } from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'urls'>

/** Documents by tenant and catalog version; large ones exist, so not too many of them. */
const BOUNDS = { entriesMax: 500, ttlMs: 3_600_000 } as const

const caches = new WeakMap<Store, Recent<Buffer>>()

/**
 * The issuer metadata of a tenant as JSON bytes. Each request asks the database for the catalog's version, one small statement; the document
 * is written anew when that has changed, so that a new template can be offered at once whichever process answers.
 *
 * @see [OpenID4VCI 1.0, 12.2](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-issuer-metadata)
 */
export async function publishIssuerMetadata({ store, clock, urls }: Needs, tenant: Tenant): Promise<Buffer> {
  const cache = caches.get(store) ?? new Recent<Buffer>(BOUNDS)
  caches.set(store, cache)
  // The version is read before the templates: a document may be newer than its name, never older.
  const version = await store.single(tenant.id, findCatalogVersion)
  const name = `${tenant.id}|${version}|${tenant.name}`
  const known = cache.get(name, clock.now())
  if (known !== undefined) return known
  const templates = await store.single(tenant.id, (tx) => listOffered(tx, clock.now()))
  const document = Buffer.from(JSON.stringify(issuerMetadata(urls.issuer(tenant.slug), tenant.name, templates)))
  cache.set(name, document, clock.now())
  return document
}

function issuerMetadata(issuer: string, name: string, templates: readonly Template[]) {
  return buildIssuerMetadata({
    credentialIssuer: issuer,
    credentialEndpoint: `${issuer}/credential`,
    nonceEndpoint: `${issuer}/nonce`,
    notificationEndpoint: `${issuer}/notification`,
    batchSize: Math.max(1, ...templates.map(({ definition }) => definition.batchSize ?? 1)),
    display: [{ name }],
    configurations: Object.fromEntries(templates.map((one) => [one.code, configurationOf(issuer, one)])),
  })
}

function configurationOf(issuer: string, { code, name, definition }: Template): ConfigurationAsk {
  return {
    type: { format: 'dc+sd-jwt', vct: vctOf(issuer, code) },
    signingAlgs: ['ES256'],
    proofAlgs: ['ES256', 'EdDSA'],
    display: [displayOf(name, definition)],
    claims: describeClaims(definition.attributes).map(({ path, mandatory, attribute }) => ({
      path,
      ...(mandatory && { mandatory }),
      ...(attribute.name !== undefined && { display: [{ name: attribute.name }] }),
    })),
  }
}

function displayOf(name: string, { display = {}, description }: Template['definition']): Display {
  const { logo, backgroundColor, textColor } = display
  const about = display.description ?? description
  return {
    name: display.name ?? name,
    ...(display.locale !== undefined && { locale: display.locale }),
    ...(about !== undefined && { description: about }),
    ...(logo !== undefined && {
      logo: { uri: logo.uri, ...(logo.altText !== undefined && { alt_text: logo.altText }) },
    }),
    ...(backgroundColor !== undefined && { background_color: backgroundColor }),
    ...(textColor !== undefined && { text_color: textColor }),
  }
}

/** The authorization server metadata of a tenant: the issuer is its own authorization server. */
export function publishServerMetadata({ urls }: Pick<Platform, 'urls'>, { slug }: Pick<Tenant, 'slug'>): object {
  const issuer = urls.issuer(slug)
  return buildServerMetadata({
    issuer,
    tokenEndpoint: `${issuer}/token`,
    grantTypes: [PRE_AUTHORIZED_GRANT],
    anonymousAccess: true,
    clientAuthMethods: ['none'],
  })
}
