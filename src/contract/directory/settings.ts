import { type Static, Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { allLanguages } from '../languages.ts'

const strict = { additionalProperties: false } as const

const name = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000]*$' })

const address = (description: string) =>
  Type.String({ format: 'uri', maxLength: 2000, pattern: '^https://', description })

/** The address of a logo: as pictures of templates, also on the own machine. */
const LOGO = '^(https://|http://(localhost|127\\.0\\.0\\.1)[:/])'

const PublicKey = Type.Object(
  {
    kty: Type.Enum(['EC', 'OKP']),
    crv: name(20),
    x: name(100),
    y: Type.Optional(name(100)),
    kid: Type.Optional(name(200)),
  },
  strict,
)

const RegisteredVerifier = Type.Object(
  {
    clientId: Type.String({ minLength: 1, maxLength: 256, pattern: '^[!-9;-~]+$', description: 'without a colon' }),
    name: name(200),
    keys: Type.Array(PublicKey, { minItems: 1, maxItems: 16 }),
    responseUris: Type.Array(Type.String({ format: 'uri', maxLength: 2000 }), { minItems: 1, maxItems: 100 }),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<Json>({}), {
        description: 'Its client metadata, e.g. `jwks` to encrypt responses to.',
      }),
    ),
  },
  strict,
)

const TransactionDataType = Type.Object(
  {
    type: name(512),
    members: Type.Record(
      name(200),
      Type.Object(
        {
          type: Type.Enum(['string', 'number', 'boolean', 'object', 'array']),
          optional: Type.Optional(Type.Boolean()),
        },
        strict,
      ),
    ),
  },
  strict,
)

/** How the organisation appears, and the defaults of what it creates. */
export const appearance = {
  logoUri: Type.String({
    format: 'uri',
    maxLength: 2000,
    pattern: LOGO,
    description: 'The logo that wallets show beside the name.',
  }),
  accentColor: Type.String({
    pattern: '^#[0-9a-fA-F]{6}$',
    description:
      'Colour of buttons and links of the pages. Text in it must have a contrast of 4.5:1 on the light paper.',
  }),
  languages: Type.Array(Type.Enum(allLanguages), {
    minItems: 1,
    uniqueItems: true,
    description:
      'Languages of the organisation, by default all. The pages of its people are in these, and in the first one for browsers that prefer none of them. Mails whose request names no language are in the first one.',
  }),
  timeZone: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9_+/-]+$',
    description: 'Where the organisation is: a name of the IANA time zone database. Pages show times in it.',
  }),
  privacyUri: address('The privacy notice.'),
  supportAddress: Type.String({
    minLength: 3,
    maxLength: 320,
    pattern: '^(https://|[^\\s@<>"]+@[^\\s@<>"]+$)',
    description: 'Where people of the organisation get help: an e-mail address or an https URL.',
  }),
  offerTtlSeconds: Type.Integer({
    minimum: 60,
    maximum: 31_536_000,
    description: 'Lifetime of a credential offer whose request names none, also of one that is mailed.',
  }),
  requestTtlSeconds: Type.Integer({
    minimum: 60,
    maximum: 2_592_000,
    description: 'Lifetime of a presentation request when neither it nor its template names one.',
  }),
  resultRetentionSeconds: Type.Integer({
    minimum: 0,
    maximum: 315_360_000,
    description: 'How long the claims of a presentation are kept when its template does not say.',
  }),
  mailFromName: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description: 'Name of the sender of mails.',
  }),
  mailReplyTo: Type.String({ format: 'email', maxLength: 320, description: 'Where answers to mails go.' }),
} as const

/** Whom the organisation trusts, and what it requires of wallets, issuers and verifiers. */
const policies = {
  issuerPolicy: Type.Enum(['any', 'trusted'], { description: 'Which issuers the wallets accept credentials from.' }),
  verifierPolicy: Type.Enum(['any', 'trusted'], { description: 'Which verifiers the wallets respond to.' }),
  sharingConfirmation: Type.Enum(['none', 'sign-in'], {
    description:
      'Whether people sign in again, for that one consent, before their wallet shares anything: with a passkey, a password or their provider.',
  }),
  sharedLinks: Type.Enum(['on', 'off'], {
    description:
      'Whether people may show a credential by a link. Off in any case with `haip`, `verifierPolicy` trusted or `sharingConfirmation` sign-in, since nothing is known of who opens a link.',
  }),
  walletFormats: Type.Array(Type.Enum(['vc+sd-jwt', 'mso_mdoc']), {
    minItems: 1,
    uniqueItems: true,
    description: 'Credential formats that the wallets hold and present.',
  }),
  redirectUris: Type.Array(Type.String({ format: 'uri', maxLength: 2000 }), {
    maxItems: 100,
    description: 'Where presentation requests may redirect browsers: these URLs and paths below them.',
  }),
  issuerIdentifier: Type.Enum(['did', 'https'], {
    description:
      "`iss` of SD-JWT VCs without a certificate: the tenant's `did:web` DID or its https Credential Issuer Identifier.",
  }),
  keyAttestations: Type.Enum(['by-template', 'required'], {
    description: 'Whether all credentials require a key attestation, also those whose template names no levels.',
  }),
  credentialEncryption: Type.Enum(['optional', 'required'], {
    description: 'Whether credential requests and responses must be encrypted.',
  }),
  pushedRequests: Type.Enum(['optional', 'required'], {
    description: 'Code flow: whether wallets must push their authorization requests (RFC 9126).',
  }),
  unregisteredWallets: Type.Enum(['accepted', 'refused'], {
    description:
      'Code flow: whether wallets that are no client of the tenant get credentials, for a user who signs in and agrees.',
  }),
  walletDpop: Type.Enum(['optional', 'required'], {
    description: 'Code flow: whether access tokens must be bound to a key of the wallet (DPoP).',
  }),
  haip: Type.Boolean({
    description:
      'The profile HAIP 1.0: exactly its set of mechanisms is offered and accepted, in issuing and in verifying.',
  }),
  clientAuthentication: Type.Enum(['optional', 'required'], {
    description: 'Whether wallets must authenticate as clients to the issuer, or may be anonymous.',
  }),
  attestationChallenge: Type.Enum(['optional', 'required'], {
    description:
      'Whether the proof of possession of a client attestation must have the challenge of the server. Few ' +
      'wallets can send one.',
  }),
  registeredVerifiers: Type.Array(RegisteredVerifier, {
    maxItems: 100,
    description:
      'Verifiers that the wallets know without a client identifier prefix: public JWKs of their requests, and where responses may go.',
  }),
  transactionDataTypes: Type.Array(TransactionDataType, {
    maxItems: 100,
    description:
      'Types of transaction data that the wallets know, with the members of each. Any other type is refused.',
  }),
  documentSignerUsages: Type.Enum(['all', 'mdl'], {
    description:
      'Extended key usages of signers of mdocs: those of ISO/IEC 18013-5 and ISO/IEC TS 23220, or the former alone.',
  }),
  newWallets: Type.Enum(['offered', 'added'], {
    description:
      'Who may have a wallet here: everybody who was offered a credential, who then makes it on the page of the ' +
      'offer, or only the users whom the organisation has added.',
  }),
  heldAttributes: Type.Enum(['erased', 'kept'], {
    description:
      'Whether the attributes of credentials that people hold are kept, sealed, until they are revoked or ' +
      'their issuance is deleted, so that a correction begins with them; or erased once a wallet has them. Of what ' +
      'was issued while they were erased there are none.',
  }),
  typeListing: Type.Enum(['listed', 'unlisted'], {
    description:
      'Whether other organisations of the deployment find its types in the list of types. Types are public in any case.',
  }),
} as const

/** Settings of a tenant, in the API and in the bootstrap file. */
export const settingMembers = { ...appearance, ...policies } as const

const AllSettings = Type.Object(settingMembers)

/** The settings that a tenant may have. None is required. */
export const TenantSettings = Type.Partial(AllSettings, strict)

/** See the schema of the same name. */
export type TenantSettings = Static<typeof TenantSettings>

/** Name of a setting. */
export type SettingName = keyof typeof settingMembers
