import { type Static, Type } from 'typebox'

/** Why the organisation of a holder knows an issuer or verifier, or what it looked for. Personal data: none. */
export const TrustBasis = Type.Object(
  {
    entity: Type.Optional(
      Type.Object(
        { id: Type.String({ format: 'uuid' }), name: Type.String() },
        { description: 'The trusted entity that names it, or whose certificate its certificate leads to.' },
      ),
    ),
    identifier: Type.Optional(
      Type.String({
        description:
          'The address, DID or client id by which it is known: of the organisation itself, or in the entity.',
      }),
    ),
    attester: Type.Optional(
      Type.String({
        description: 'The issuer of the attestation about it, which the organisation trusts as attester.',
      }),
    ),
    certificate: Type.Optional(
      Type.Object(
        {
          subject: Type.String({ description: 'RFC 4514.' }),
          root: Type.Union([Type.String(), Type.Null()], {
            description: 'The subject of the certificate that the chain leads to; null: it is not known.',
          }),
        },
        { description: 'The certificate that it signed with. For an unknown root, only that it names the host.' },
      ),
    ),
    lookedFor: Type.Optional(
      Type.Array(Type.String(), {
        description: 'For an unknown one: identifiers and subjects of roots that no trusted entity has.',
      }),
    ),
  },
  {
    $id: 'TrustBasis',
    description: 'Why the organisation of the holder knows it; for an unknown one, what was looked for.',
  },
)

/** The type of {@link TrustBasis}. */
export type TrustBasis = Static<typeof TrustBasis>
