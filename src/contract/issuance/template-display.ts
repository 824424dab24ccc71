import { Type } from 'typebox'

/** Members that are not named are refused. */
export const strict = { additionalProperties: false } as const

/** A text of at least one character. */
export const Text = (charsMax: number, description: string) =>
  Type.String({ minLength: 1, maxLength: charsMax, description })

const color = (description: string) => Type.Optional(Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description }))

const ImageUri = Type.String({
  maxLength: 65_536,
  pattern: '^(https://|http://(localhost|127\\.0\\.0\\.1)[:/]|data:image/(png|jpeg|svg\\+xml)[;,])',
})

/** A language tag. @see [RFC 5646](https://www.rfc-editor.org/rfc/rfc5646) */
export const LOCALE_PATTERN = '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$'

const Locale = (description: string) => Type.String({ pattern: LOCALE_PATTERN, maxLength: 35, description })

const Translation = Type.Object(
  {
    locale: Locale('The language, such as fr.'),
    name: Text(200, 'Name shown by wallets in this language.'),
    description: Type.Optional(Text(1000, 'One or two sentences.')),
  },
  strict,
)

/** Languages of a template besides the first. */
export const TRANSLATIONS_MAX = 7

/** How cards of a template look and what they are called, by language. */
export const Display = Type.Object(
  {
    name: Type.Optional(Text(200, 'Name shown by wallets; by default that of the template.')),
    description: Type.Optional(Text(1000, 'One or two sentences.')),
    locale: Type.Optional(Locale('Language of the name, the description and the names of the attributes.')),
    translations: Type.Optional(
      Type.Array(Translation, {
        maxItems: TRANSLATIONS_MAX,
        description:
          'The same in other languages, each once. Names of attributes in them are `names` of the attribute.',
      }),
    ),
    cardLine: Type.Optional(
      Type.Array(Type.String({ minLength: 2, maxLength: 1000 }), {
        maxItems: 3,
        uniqueItems: true,
        description:
          'The attributes whose values stand on the card below its name, as JSON pointers into `attributes`: /degree; of an mdoc /namespace/element. Wallets get them before all others: that of this platform shows the first two, or the first attributes where fewer are named.',
      }),
    ),
    logo: Type.Optional(
      Type.Object(
        {
          uri: ImageUri,
          altText: Type.Optional(Text(200, 'Alternative text of the image.')),
        },
        { ...strict, description: 'A https or data: URI of a PNG, JPEG or SVG image.' },
      ),
    ),
    backgroundImage: Type.Optional(
      Type.Object({ uri: ImageUri }, { ...strict, description: 'A https or data: URI of a PNG, JPEG or SVG image.' }),
    ),
    backgroundColor: color('#RRGGBB'),
    textColor: color('#RRGGBB'),
  },
  strict,
)
