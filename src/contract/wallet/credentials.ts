import { type Static, Type } from 'typebox'
import type { JsonObject } from '../../crypto/json.ts'
import { IdParams } from '../id-params.ts'
import { listQuery, PageMeta } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { CardImage, CheckedStatus, CredentialDetails, ImageParams } from './card-display.ts'

/** Statuses of the holder's consent, in any order. Only accepted credentials are presented. */
const consents = ['pending', 'accepted', 'rejected'] as const

/** One of {@link consents}. */
export type Consent = (typeof consents)[number]

/** Formats that a wallet can hold, as named in the API and in the tenant's setting `walletFormats`. */
export const walletFormats = ['vc+sd-jwt', 'mso_mdoc'] as const

const Format = Type.Enum([...walletFormats], {
  description: 'vc+sd-jwt: SD-JWT VC, whatever `typ` the issuer uses. mso_mdoc: ISO mdoc, where the tenant enables it.',
})

/** Body of a change of consent. */
const ConsentBody = Type.Object(
  {
    status: Type.Enum([...consents], {
      description: 'The consent of the holder. Only accepted credentials are ever presented.',
    }),
  },
  { additionalProperties: false, $id: 'ConsentBody', examples: [{ status: 'accepted' }] },
)

/** A credential of a wallet. */
export const Credential = Type.Object(
  {
    id: IdParams.properties.id,
    claims: Type.Unsafe<JsonObject>({
      type: 'object',
      additionalProperties: true,
      description:
        'The claims about the subject. Of an mdoc, namespaces with their elements: dates are strings, byte strings base64url.',
    }),
    iat: Type.String({
      format: 'date-time',
      description: 'When it was issued; when it was received if the issuer does not state it.',
    }),
    status: Type.Enum([...consents], { description: 'The consent of the holder.' }),
    format: Format,
    vct: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The type of the credential; of an mdoc the document type.',
    }),
    iss: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description:
          'The issuer that was proven: a DID, an https address by its metadata, or by the certificate of the signer ' +
          'the stated address if it names that, else its subject.',
      }),
    ),
    statedIss: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'The `iss` in the credential, where another issuer was proven. Nothing proves it.',
      }),
    ),
  },
  { $id: 'Credential' },
)

/** The type of {@link Credential}. */
export type ShownCredential = Static<typeof Credential>

const Status = Type.Enum([...consents], { description: 'Only credentials with this consent.' })

const CredentialListQuery = listQuery({
  filters: {
    status: Status,
    vct: Type.String({ minLength: 1, maxLength: 256 }),
    superseded: Type.Enum(['true', 'false'], {
      description: 'true: only those with a `newerId`. false: only those without.',
    }),
  },
  more: { status: Status },
})

const ofWalletCredentials = operationGroup({
  group: 'wallet',
  tag: 'credentials',
  params: IdParams,
  reply: Credential,
  faults: ['holder.missing'],
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

/** Credentials in the wallet of the caller. */
export const walletCredentials = {
  list: ofWalletCredentials.get('/v2/credentials', {
    summary: 'Lists the credentials of the wallet.',
    query: CredentialListQuery,
    meta: Type.Object({
      ...PageMeta.properties,
      credentials: Type.Record(Type.String(), CredentialDetails, { description: 'More about each credential, by id.' }),
    }),
    reply: Type.Array(Credential),
  }),

  get: ofWalletCredentials.get('/v2/credentials/{id}', {
    summary: 'Returns a credential.',
    meta: CredentialDetails,
  }),

  getImage: operationGroup({ group: 'wallet', tag: 'credentials', params: ImageParams, scope: 'wallet:read' }).get(
    '/v2/credentials/{id}/images/{kind}',
    {
      summary:
        'Returns an image of a credential, as it was fetched from its issuer once, after the receipt; `card` has the values of the credential.',
      reply: CardImage,
      faults: ['holder.missing'],
    },
  ),

  setConsent: ofWalletCredentials.patch('/v2/credentials/{id}', {
    summary: 'Sets the consent of the holder. Any status may follow any.',
    body: ConsentBody,
  }),

  setConsentAtFormerPath: ofWalletCredentials.patch('/credentials/{id}/status', {
    operationId: 'updateCredentialStatus',
    summary: 'Sets the consent of the holder; replies without the envelope. Use PATCH /v2/credentials/{id}.',
    body: ConsentBody,
    noEnvelope: true,
  }),

  checkStatus: ofWalletCredentials.post('/v2/credentials/{id}/status-check', {
    operationId: 'checkCredentialStatus',
    summary:
      'Checks the status of a credential now, besides the regular checks. A list of this deployment is read anew each time, another one if it was fetched more than a minute ago. Only the first copy is checked: an issuer changes the status of all copies.',
    reply: CheckedStatus,
    faults: ['request.rate_limited'],
  }),

  delete: ofWalletCredentials.delete('/v2/credentials/{id}', {
    summary: 'Removes a credential and destroys its keys.',
    reply: undefined,
  }),
} as const

/** One of {@link walletFormats}. */
export type WalletFormat = (typeof walletFormats)[number]
