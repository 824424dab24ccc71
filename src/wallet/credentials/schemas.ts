import { type Static, Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { walletFormats } from './wallet-format.ts'

/** Statuses of the holder's consent, in any order. Only accepted credentials are presented. */
export const consents = ['pending', 'accepted', 'rejected'] as const
/** One of {@link consents}. */
export type Consent = (typeof consents)[number]

const Format = Type.Enum([...walletFormats], {
  description: 'vc+sd-jwt: SD-JWT VC, whatever `typ` the issuer uses. mso_mdoc: ISO mdoc, where the tenant enables it.',
})

/** Body of a change of consent. */
export const ConsentBody = Type.Object(
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
