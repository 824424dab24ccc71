import type { TSchema } from 'typebox'
import { ClientBody, ClientChangeBody } from '../../contract/directory/clients.ts'
import { GroupBody, GroupChangeBody } from '../../contract/directory/groups.ts'
import { ProviderBody, ProviderChangeBody } from '../../contract/directory/identity-providers.ts'
import { TokenBody } from '../../contract/directory/scim-tokens.ts'
import { UserBody, UserChangeBody } from '../../contract/directory/users.ts'
import { WebhookEndpointChange } from '../../contract/events/webhooks.ts'
import { TemplateBody } from '../../contract/issuance/credential-templates.ts'
import { TrustedEntityBody } from '../../contract/trust/trusted-entities.ts'
import { PresentationTemplateBody } from '../../contract/verification/presentation-templates.ts'
import { VerificationPageBody, VerificationPageChange } from '../../contract/verification/verification-pages.ts'
import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import type { Html } from '../../pages/html.ts'
import { applicationForm } from '../applications/form.ts'
import { allOf } from '../frame/chooser.ts'
import { noProblems } from '../frame/form-values.ts'
import { groupForm } from '../groups/group.ts'
import { personForm } from '../people/form.ts'
import { providerForm } from '../providers/form.ts'
import { tokenForm } from '../provisioning/token.ts'
import { requestFormWith } from '../requests/form.ts'
import type { RequestMeta, RequestTemplate } from '../requests/request.ts'
import type { Template } from '../templates/content/template.ts'
import { draftOf } from '../templates/draft.ts'
import { formWith as templateFormWith } from '../templates/form.ts'
import type { Sources } from '../templates/further-fields.ts'
import { entityForm } from '../trusted/entity.ts'
import { formWith } from '../verification-pages/form.ts'
import { endpointForm } from '../webhooks/form.ts'
import { offlineFrame } from './form-of.ts'

/** A form under test. */
export type Form = {
  readonly schemas: readonly TSchema[]
  /** Bodies that have every member, over all of them. */
  readonly examples: readonly JsonObject[]
  /** The form of what was saved by such a body. */
  readonly draw: (saved: JsonObject, language: 'en' | 'fr') => Html
  readonly send: (fields: Fields) => object
  /** Members without a field, each with the reason. */
  readonly without?: Readonly<Record<string, string>>
}

const ENTITY = '01890000-0000-7000-8000-00000000000a'
const pageForm = formWith(
  allOf([
    { id: ENTITY, name: 'Proof' },
    { id: 'other', name: 'Other' },
  ]),
)
const now = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' }

/** What the API returns in `meta` of a presentation template. */
function shownRequest(saved: JsonObject): { readonly found: RequestTemplate; readonly meta: RequestMeta } {
  const { credentials, verifierConfig = null, retentionSeconds = null } = saved
  const all = Array.isArray(credentials) ? credentials.filter(isJsonObject) : []
  const others = all.map(({ type: _, format: __, attributes: ___, name: ____, description: _____, ...more }) => more)
  // A body of the examples, as the API shows it.
  return {
    found: { id: ENTITY, ...now, ...saved } as never,
    meta: { verifierConfig, retentionSeconds, credentials: others } as never,
  }
}

const requestForm = (saved: ReturnType<typeof shownRequest> | null) =>
  requestFormWith({
    saved,
    sources: { own: allOf([]), others: allOf([]), templates: allOf([]) },
    entities: allOf([{ id: ENTITY, name: 'Registrar' }]),
    templates: [],
  })
const templateForm = (sources: Sources) => templateFormWith({ current: null, sources })
const syncForm = tokenForm({
  all: ['client-1', 'client-2'].map((id) => ({ clientId: id, name: id, disabled: false })),
  hasMore: false,
})

/** The forms of the console, by what they make or change. */
export const forms: Readonly<Record<string, Form>> = {
  'presentation template': {
    schemas: [PresentationTemplateBody],
    examples: [
      {
        name: 'Proof',
        description: 'For the desk',
        retentionSeconds: 86_400,
        credentials: [
          {
            type: 'https://x.example/vct',
            format: 'sd-jwt-vc',
            name: 'Diploma',
            description: 'The degree',
            attributes: {
              degree: {},
              on: { type: 'date' },
              grade: { type: 'number', minimum: 50, maximum: 90 },
              place: { properties: { city: { values: ['Pretoria', '7'] } } },
              exact: { value: '5' },
              both: { type: 'string', values: ['a', 'b'], minimum: 1 },
              list: { items: [null, { value: true }] },
              'a;b': {},
            },
            issuers: ['did:web:a.example', 'https://b.example'],
            trustedIssuers: [ENTITY],
            trustedIssuersInQuery: true,
            optional: true,
            multiple: true,
            claimSets: [['degree'], [['place', 'city'], 'grade'], ['a;b', ['list', 1]]],
          },
          {
            type: 'org.iso.18013.5.1.mDL',
            format: 'mdoc',
            name: 'Licence',
            strictValidity: true,
            attributes: {
              'org.iso.18013.5.1': { properties: { age: { intentToRetain: true, values: [18] }, name: {} } },
            },
            trustedAuthorities: [
              { type: 'aki', values: ['YWJj', 'ZGVm'] },
              { type: 'aki', values: ['Z2hp'] },
            ],
            requireCryptographicHolderBinding: false,
          },
        ],
        verifierConfig: {
          signer: 'certificate',
          keyType: 'P-256',
          clientIdPrefix: 'x509_hash',
          clientId: 'known',
          verifierAttestation: 'eyJh.eyJi.c',
          purpose: 'To let you in',
          responseMode: 'direct_post.jwt',
          scheme: 'haip-vp',
          verifierInfo: [
            { format: 'jwt', data: 'eyJh.eyJi.c', credentials: [1] },
            { format: 'other', data: { a: [1] } },
            { format: 'quoted', data: '{"a":1}' },
          ],
          expiresInSeconds: 301,
          redirectUri: 'https://x.example/back',
          credentialSets: [{ options: [[0, 1], [1]] }, { options: [[0]], required: false }],
        },
      },
    ],
    draw: (saved, language) => {
      const its = requestForm(shownRequest(saved))
      return its.draw(offlineFrame(language), its.saved({}), noProblems, true)
    },
    send: (fields) => {
      const its = requestForm(null)
      return its.body(its.read(fields))
    },
  },
  'credential template': {
    schemas: [TemplateBody],
    examples: [
      {
        name: 'Diploma',
        description: 'A degree',
        code: 'diploma',
        format: 'sd-jwt-vc',
        revocable: true,
        attributes: {
          degree: { type: 'string', name: 'Degree', names: { fr: 'Titre' }, description: 'What', required: true },
          place: { type: 'object', alwaysDisclosed: true, properties: { city: { type: 'string' } } },
          grades: { type: 'array', items: { type: 'number', alwaysDisclosed: false } },
        },
        validFrom: { future: { days: 3 } },
        validUntil: '2036-01-31',
        batchSize: 4,
        refill: { days: 5, times: 2 },
        txCode: { inputMode: 'text', length: 8, description: 'By post' },
        signer: { kind: 'certificate', keyType: 'P-256' },
        approvalRequired: true,
        label: ['/degree'],
        offerScheme: 'haip-vci',
        keyAttestation: { keyStorage: ['iso_18045_high'], userAuthentication: ['own_level'] },
        attributeSource: {
          kind: 'provider',
          provider: 'entra',
          claims: { degree: 'title', '/place/city': '/address/locality' },
        },
        display: {
          name: 'Degree',
          description: 'About it',
          locale: 'en',
          cardLine: ['/degree'],
          translations: [{ locale: 'fr', name: 'Diplôme', description: 'À ce sujet' }],
          logo: { uri: 'https://x.example/a.png', altText: 'A tower' },
          backgroundImage: { uri: 'https://x.example/b.png' },
          backgroundColor: '#102030',
          textColor: '#ffffff',
        },
      },
      {
        name: 'Card',
        code: 'card',
        format: 'mdoc',
        docType: 'org.example.card.1',
        revocable: false,
        attributes: { 'org.example.card': { picture: { type: 'bytes' } } },
        keyAttestation: {},
        attributeSource: { kind: 'webhook', endpointId: ENTITY },
        display: { backgroundColor: '#102030', textColor: '#ffffff' },
      },
    ],
    draw: (saved, language) => {
      // A body of the examples, as the API shows it.
      const shown = { id: ENTITY, type: 'x', archivedAt: null, ...now, ...saved } as never as Template
      const endpoints = [
        { id: ENTITY, url: 'https://x.example/hook' },
        { id: 'other', url: 'https://x.example/other' },
      ]
      const providers = [{ name: 'campus', displayName: 'Campus account', signIn: true }]
      return templateForm({ endpoints, providers }).draw(offlineFrame(language), draftOf(shown), noProblems, true)
    },
    send: (fields) => {
      const its = templateForm({ endpoints: null, providers: null })
      return its.body(its.read(fields))
    },
    without: {
      '/credentialFormat': 'the former name of format',
    },
  },
  application: {
    schemas: [ClientBody, ClientChangeBody],
    examples: [
      {
        name: 'Registry',
        isPublic: false,
        roles: ['issuer'],
        scopes: ['audit:read'],
        disabled: false,
        grantTypes: ['authorization_code', 'refresh_token'],
        redirectUris: ['https://a.example/1', 'https://a.example/2'],
        postLogoutRedirectUris: ['https://a.example/out'],
        backchannelLogoutUri: 'https://a.example/end',
        tosUri: 'https://a.example/terms',
        asksConsent: false,
        dpopRequired: true,
        parRequired: true,
        jwksUri: 'https://a.example/keys',
        pkceRequired: false,
        idTokenSignedResponseAlg: 'ES256',
        jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ' }] },
      },
    ],
    draw: (saved, language) => {
      return applicationForm.draw(offlineFrame(language), applicationForm.saved(saved), noProblems, true)
    },
    send: (fields) => applicationForm.body(applicationForm.read(fields)),
    without: { '/disabled': 'a new application is in use; the form of an existing one has it' },
  },
  person: {
    schemas: [UserBody, UserChangeBody],
    examples: [
      { username: 'thandi', email: 'thandi@a.example', firstName: 'Thandi', lastName: 'Molefe', roles: ['issuer'] },
    ],
    draw: (saved, language) => {
      return personForm.draw(offlineFrame(language), personForm.saved(saved), noProblems, true)
    },
    send: (fields) => personForm.body(personForm.read(fields)),
    without: {
      '/externalIdentifier': 'systems find a person by it, and set it themselves: by SCIM, at sign-in or by the API',
      '/enabled': 'changed by buttons, which ask first',
    },
  },
  'sign-in provider': {
    schemas: [ProviderBody, ProviderChangeBody],
    examples: [
      {
        name: 'campus',
        displayName: 'Campus account',
        issuer: 'https://login.example/v2.0',
        clientId: 'x',
        clientSecret: null,
        scopes: ['openid', 'groups'],
        createsUsers: true,
        signIn: true,
        claims: { username: 'upn', email: 'mail', roles: '/realm/roles', externalIdentifier: 'oid' },
        roles: { registrar: ['issuer', 'verifier'], guest: [] },
        acceptTokens: true,
        audience: 'https://x.example/issuers/acme',
      },
    ],
    draw: (saved, language) => {
      const shown = { ...saved, hasClientSecret: false }
      return providerForm.draw(offlineFrame(language), providerForm.saved(shown), noProblems, true)
    },
    // A new body has no members that are null.
    send: (fields) => ({ clientSecret: null, ...providerForm.body(providerForm.read(fields)) }),
    without: {
      '/namesPeople': 'an owner may not act for people, which it would lead to; the page of a provider shows it',
    },
  },
  group: {
    schemas: [GroupBody, GroupChangeBody],
    examples: [{ displayName: 'Registrars', externalIdentifier: 'g-1', roles: ['issuer', 'verifier'] }],
    draw: (saved, language) => {
      return groupForm.draw(offlineFrame(language), groupForm.saved(saved), noProblems, true)
    },
    send: (fields) => groupForm.body(groupForm.read(fields)),
  },
  'directory sync token': {
    schemas: [TokenBody],
    examples: [{ name: 'Entra ID', clientId: 'client-1', expiresInDays: 30 }],
    draw: (saved, language) => {
      return syncForm.draw(offlineFrame(language), syncForm.saved(saved), noProblems, true)
    },
    send: (fields) => syncForm.body(syncForm.read(fields)),
  },
  'trusted entity': {
    schemas: [TrustedEntityBody],
    examples: [
      {
        name: 'Registrar',
        issuers: ['https://a.example', 'https://b.example'],
        purposes: ['issuer', 'status'],
        dids: [{ did: 'did:web:a.example', name: 'Main office' }, { did: 'did:web:b.example' }],
        certificates: ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'],
        signerUsages: ['none', '1.0.18013.5.1.2'],
      },
    ],
    draw: (saved, language) => {
      return entityForm.draw(offlineFrame(language), entityForm.saved(saved), noProblems, true)
    },
    send: (fields) => entityForm.body(entityForm.read(fields)),
  },
  'verification page': {
    schemas: [VerificationPageBody, VerificationPageChange],
    examples: [
      {
        name: 'Discount',
        presentationTemplateId: ENTITY,
        origins: ['https://a.example', 'https://b.example'],
        heading: 'Show it',
        explanation: 'Why',
        redirectUri: 'https://a.example/back',
        visitorSees: 'receipt',
        anotherDevice: false,
        requestsPerMinute: 7,
        requestsPerAddress: 3,
        expiresInSeconds: 100,
        isOpen: false,
      },
    ],
    draw: (saved, language) => pageForm.draw(offlineFrame(language), pageForm.saved(saved), noProblems, true),
    send: (fields) => pageForm.body(pageForm.read(fields)),
  },
  'webhook endpoint': {
    schemas: [WebhookEndpointChange],
    examples: [{ url: 'https://a.example/hook', filterTypes: ['user.created'] }],
    draw: (saved, language) => endpointForm.draw(offlineFrame(language), endpointForm.saved(saved), noProblems, true),
    send: (fields) => endpointForm.body(endpointForm.read(fields)),
    without: { '/status': 'changed by buttons, which ask first' },
  },
}
