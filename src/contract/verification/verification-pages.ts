import { type Static, Type } from 'typebox'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'
import { AskedCredential } from './requested-credentials.ts'

const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000]*$', description })

const name = text(200, 'Name of the page, for the organisation itself.')

const presentationTemplateId = Type.String({ maxLength: 64, description: 'What visitors are asked for.' })

const heading = text(200, 'Heading that visitors read. By default the page names the organisation.')

const explanation = text(1000, 'What visitors read below the heading: why they are asked, and what happens then.')

const redirectUri = Type.String({
  minLength: 1,
  maxLength: 2000,
  description:
    'Where the browser of the visitor is led after the answer, with `request` and `response_code` in the query. Must be covered by `redirectUris` of the organisation.',
})

const anotherDevice = Type.Boolean({
  description:
    'Whether visitors may answer with a wallet on another device: they get a code, and the outcome is told without the ' +
    'way back from the wallet. false: it is told once the wallet has led the browser of the visitor back (HAIP 1.0, 5.1), ' +
    'which a page in a frame cannot see. By default, and with null, true unless the organisation is under HAIP.',
})

const choices = {
  origins: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
    maxItems: 20,
    uniqueItems: true,
    description:
      'Origins of the sites that may embed the page and call its API, e.g. `https://shop.example.org`. None by default.',
  }),
  visitorSees: Type.Enum(['verdict', 'receipt'], {
    description:
      '`verdict`, the default: whether the credential was accepted. `receipt`: only that the answer arrived. Claims are never shown.',
  }),
  requestsPerMinute: Type.Integer({
    minimum: 1,
    maximum: 600,
    description: 'Requests that all visitors together may begin within a minute; 60 by default.',
  }),
  requestsPerAddress: Type.Integer({
    minimum: 1,
    maximum: 60,
    description: 'Requests that the visitors of one network address may begin within a minute; 10 by default.',
  }),
  expiresInSeconds: Type.Integer({
    minimum: 60,
    maximum: 3600,
    description: 'Lifetime of a request; 600 by default.',
  }),
  isOpen: Type.Boolean({ description: 'A closed page begins no requests; those that are open can be answered.' }),
}

const optional = Type.Partial(Type.Object(choices)).properties

/** The body that creates a verification page. */
export const VerificationPageBody = Type.Object(
  {
    name,
    presentationTemplateId,
    ...optional,
    heading: Type.Optional(heading),
    explanation: Type.Optional(explanation),
    redirectUri: Type.Optional(redirectUri),
    anotherDevice: Type.Optional(anotherDevice),
  },
  {
    $id: 'VerificationPageBody',
    additionalProperties: false,
    examples: [
      {
        name: 'Student discount',
        presentationTemplateId: '01890000-0000-7000-8000-000000000000',
        origins: ['https://shop.example.org'],
      },
    ],
  },
)

/** See the schema of the same name. */
export type VerificationPageBody = Static<typeof VerificationPageBody>

/** The body that changes a verification page. Absent members stay as they are. */
export const VerificationPageChange = Type.Object(
  {
    name: Type.Optional(name),
    presentationTemplateId: Type.Optional(presentationTemplateId),
    ...optional,
    heading: Type.Optional(orNull(heading)),
    explanation: Type.Optional(orNull(explanation)),
    redirectUri: Type.Optional(orNull(redirectUri)),
    anotherDevice: Type.Optional(orNull(anotherDevice)),
  },
  { $id: 'VerificationPageChange', additionalProperties: false, examples: [{ isOpen: false }] },
)

/** See the schema of the same name. */
export type VerificationPageChange = Static<typeof VerificationPageChange>

/** A verification page in a reply. */
export const VerificationPageReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name,
    presentationTemplateId,
    templateName: Type.String({ description: 'Name of the presentation template.' }),
    ...choices,
    heading: orNull(heading),
    explanation: orNull(explanation),
    redirectUri: orNull(redirectUri),
    anotherDevice: orNull(anotherDevice),
    pageUri: Type.String({ description: 'The page itself, for a link.' }),
    scriptUri: Type.String({
      description: 'The script with the element `<chirograph-verify page="…">`, for a site of one of the origins.',
    }),
    createdAt: time,
    updatedAt: time,
  },
  { $id: 'VerificationPage', additionalProperties: false },
)

/** See the schema of the same name. */
export type VerificationPageReply = Static<typeof VerificationPageReply>

/** Query of the list of verification pages. */
const VerificationPageListQuery = listQuery({ sorts: ['createdAt', 'name'], searches: ['name'] })

const At = time

/** What visitors may know of a page. */
export const PublicPageReply = Type.Object(
  {
    id: Type.String(),
    organisation: Type.Object({
      slug: Type.String(),
      name: Type.String(),
      accentColor: orNull(Type.String()),
      logoUri: orNull(Type.String()),
      privacyUri: orNull(Type.String()),
      supportAddress: orNull(Type.String()),
    }),
    heading: orNull(Type.String()),
    explanation: orNull(Type.String()),
    asks: Type.Array(AskedCredential, { description: 'The credentials that the page asks for.' }),
    purpose: orNull(Type.String()),
    origins: Type.Array(Type.String(), { description: 'Of the sites that may embed the page.' }),
    isOpen: Type.Boolean(),
  },
  { $id: 'PublicVerificationPage' },
)

const visit = {
  id: Type.String(),
  status: Type.String({ description: '`requested` while it is open; `answered` if the owner keeps the verdict.' }),
  expiresAt: At,
  authorizationRequestUri: Type.Optional(Type.String()),
  authorizationRequestQrUri: Type.Optional(Type.String()),
  digitalCredentialsUri: Type.Optional(Type.String()),
  responseCode: Type.Optional(Type.String({ description: 'By which the backend of the site reads the result.' })),
  redirectUri: Type.Optional(Type.String()),
  awaitsReturn: Type.Optional(
    Type.Literal(true, {
      description: 'The wallet has answered, and its outcome is told once it has led this browser back.',
    }),
  ),
}

/** The state of a request, for the visitor who began it. */
export const VisitReply = Type.Object(visit, { $id: 'VisitorRequest' })

/** A request that begins, with the secret by which its state is read. */
export const BegunVisitReply = Type.Object({ ...visit, secret: Type.String() }, { $id: 'BegunVisitorRequest' })
const ofVerificationPages = operationGroup({
  group: 'creds',
  tag: 'verification pages',
  path: '/verification-pages',
  reply: VerificationPageReply,
  scope: { read: 'verification:read', write: 'verification:write' },
})

/** Pages on which visitors of the organisation show credentials. */
export const verificationPages = {
  create: ofVerificationPages.post('', {
    summary:
      'Creates a verification page: visitors of the organisation show what a presentation template asks for, on the page itself or embedded in a site.',
    body: VerificationPageBody,
    status: 201,
    faults: ['reference.unknown', 'state.conflict'],
  }),

  list: ofVerificationPages.list('', {
    summary: 'Lists the verification pages.',
    query: VerificationPageListQuery,
  }),

  get: ofVerificationPages.get('/{id}', {
    summary: 'Returns a verification page.',
    replyHeaders: ['ETag'],
  }),

  change: ofVerificationPages.patch('/{id}', {
    summary:
      'Changes the members of a verification page that the body names; null clears. Every server uses the change within five seconds. Open requests stay open.',
    body: VerificationPageChange,
    ifMatch: true,
    replyHeaders: ['ETag'],
    faults: ['reference.unknown', 'state.conflict', 'resource.changed'],
  }),

  delete: ofVerificationPages.delete('/{id}', {
    summary: 'Deletes a verification page. Requests that visitors began, and their results, stay.',
    reply: undefined,
  }),
} as const
