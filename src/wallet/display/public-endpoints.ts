import { Type } from 'typebox'
import { allLanguages } from '../../contract/languages.ts'
import { faceOf } from '../../directory/tenants/face-of.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import { type Endpoint, endpoint } from '../../http/routes/endpoint.ts'
import { logoPathOf } from '../../pages/look/organisation.ts'
import { PICTURE_POLICY } from '../../pages/page-headers.ts'
import { organisationLogo } from './organisation-logo.ts'

const tag = 'Pages'
const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const OrganisationFace = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    accentColor: orNull('Colour of buttons and links: `#rrggbb`.'),
    languages: Type.Array(Type.Enum(allLanguages), {
      description: 'Languages of its pages, the default first.',
    }),
    privacyUri: orNull('The privacy notice.'),
    supportAddress: orNull('An e-mail address or an https URL.'),
    logoPath: orNull('Path of the logo on this server; null: there is none.'),
    makesWallets: Type.Boolean({
      description: 'Who was offered a credential and has no wallet makes one on the page of the offer.',
    }),
  },
  { $id: 'OrganisationFace' },
)

const about = endpoint({
  method: 'GET',
  path: '/organisations/{organisation}/about',
  operationId: 'getOrganisationFace',
  replies: { 200: { types: { 'application/json': OrganisationFace } } },
  summary: 'Returns how an organisation appears on pages for people who are not signed in.',
  tag,
  accepts: 'none',
  handle: async ({ platform, params }) => {
    const tenant = await getTenant(platform, params.organisation)
    const { timeZone: _, logoUri, ...face } = faceOf(tenant)
    const { slug, name } = tenant
    const { makesWallets } = policyOf(tenant).holding
    const logoPath = logoPathOf({ slug, logoUri }, platform.urls)
    return {
      status: 200,
      body: { slug, name, ...face, logoPath, makesWallets },
      headers: { 'cache-control': 'no-store' },
    }
  },
})

const logo = endpoint({
  method: 'GET',
  path: '/organisations/{organisation}/logo',
  operationId: 'getOrganisationLogo',
  replies: { 200: { types: { 'image/png': null, 'image/jpeg': null, 'image/svg+xml': null } } },
  summary: 'Returns the logo of an organisation, as this server fetched it within the last hour.',
  tag,
  accepts: 'none',
  handle: async ({ platform, params }) => {
    const tenant = await getTenant(platform, params.organisation)
    const { logoUri } = faceOf(tenant)
    const image = logoUri === null ? null : await organisationLogo(platform, tenant.id, logoUri)
    if (image === null) throw new Fault('resource.unknown')
    const headers = { 'cache-control': 'public, max-age=3600', 'cross-origin-resource-policy': 'same-origin' }
    return {
      status: 200,
      type: image.mediaType,
      body: image.bytes,
      headers: { ...headers, 'content-security-policy': PICTURE_POLICY },
    }
  },
})

/** How organisations look, for pages without a session. */
export const organisationFaceEndpoints: readonly Endpoint[] = [about, logo]
