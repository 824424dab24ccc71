import { type Static, Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { time } from '../shapes.ts'

/** Images of a credential that its issuer has at an address. */
export const fetchedKinds = ['logo', 'background'] as const

/** One of {@link fetchedKinds}. */
export type FetchedKind = (typeof fetchedKinds)[number]

/** Images of a credential. `card`: the whole card, drawn from the SVG template of its type with its values. */
const imageKinds = [...fetchedKinds, 'card'] as const

/** One of {@link imageKinds}. */
export type ImageKind = (typeof imageKinds)[number]

const Text = (description: string) => Type.String({ description })

const Colour = (description: string) => Type.String({ pattern: '^#[0-9a-f]{6}$', description })

/** A claim in words. */
const Label = Type.Object(
  {
    path: Text(
      'The path as a JSON array; null stands for every element of an array. Of an mdoc namespace and element.',
    ),
    name: Text('The name of the claim, as its issuer states it.'),
  },
  { additionalProperties: false },
)

/** How a credential looks. */
export const CredentialDisplay = Type.Object(
  {
    name: Type.Union([Type.String(), Type.Null()], { description: 'The name of the credential.' }),
    locale: Type.Optional(Text('The language of the texts.')),
    description: Type.Optional(Type.String()),
    issuer: Type.Object(
      {
        name: Type.Union([Type.String(), Type.Null()], { description: 'The name that the issuer states.' }),
        identifier: Text('The Credential Issuer Identifier.'),
        trust: Type.Enum(['own', 'trusted_entity', 'unknown'], {
          description:
            'Whether the organisation of the holder knows the issuer today: it is the organisation itself, one of its trusted entities, or unknown. An unknown one may have stated any name: call it by the host of its identifier.',
        }),
      },
      { additionalProperties: false },
    ),
    backgroundColor: Type.Optional(Colour('The colour of the card.')),
    textColor: Type.Optional(Colour('The colour of texts on the card, as stated; it may not be readable.')),
    images: Type.Optional(
      Type.Array(Type.Enum([...imageKinds]), { description: 'The images that GET …/images/{kind} returns.' }),
    ),
    labels: Type.Array(Label, { description: 'The claims in the order in which the issuer lists them.' }),
  },
  {
    additionalProperties: false,
    $id: 'CredentialDisplay',
    description:
      'What the issuer stated in its metadata when the credential was received, in the language of `Accept-Language` where there is one.',
  },
)

/** The type of {@link CredentialDisplay}. */
export type CredentialDisplay = Static<typeof CredentialDisplay>

/** The status of a credential in the status list of its issuer. */
const Standing = Type.Object(
  {
    status: Type.Enum(['valid', 'suspended', 'revoked']),
    checkedAt: Type.Union([time, Type.Null()], {
      description: 'When the list was last read; null: at the receipt only.',
    }),
  },
  { additionalProperties: false, description: 'The status in the status list of the issuer. Absent: it has none.' },
)

/** The outcome of a status check. */
export const CheckedStatus = Type.Object(
  {
    standing: Type.Optional(Standing),
    isChecked: Type.Boolean({
      description:
        'Whether the list could be read. false: `standing` is that of the last check. Also false for a credential without a list, and for a revoked one, which is not checked again.',
    }),
  },
  { additionalProperties: false, $id: 'CheckedStatus' },
)

/** The type of {@link CheckedStatus}. */
export type CheckedStatus = Static<typeof CheckedStatus>

/** What the wallet knows about a credential besides its claims: the `meta` of one, and of lists by its id. */
export const CredentialDetails = Type.Object(
  {
    display: CredentialDisplay,
    standing: Type.Optional(Standing),
    validFrom: time,
    validUntil: Type.Union([time, Type.Null()], { description: 'null: no end.' }),
    receivedAt: time,
    endsSoon: Type.Boolean({
      description:
        'Whether it ends within 30 days, or is in the last quarter of a shorter life, and its issuer renews it by nothing that the wallet knows of.',
    }),
    newerId: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Of a credential that is revoked or has ended: the newest usable one of the same type from the same issuer, if it was received later.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'CredentialDetails' },
)

/** The type of {@link CredentialDetails}. */
export type CredentialDetails = Static<typeof CredentialDetails>

/** Path of an image. */
export const ImageParams = Type.Object({
  id: IdParams.properties.id,
  kind: Type.String({ minLength: 1, maxLength: 64, description: '`logo` or `background`.' }),
})

/** An image of a credential. */
export const CardImage = Type.Object(
  {
    mediaType: Type.Enum(['image/png', 'image/jpeg', 'image/svg+xml']),
    data: Text('In base64. An SVG may contain scripts: show it as an image only.'),
  },
  { additionalProperties: false, $id: 'CardImage' },
)
