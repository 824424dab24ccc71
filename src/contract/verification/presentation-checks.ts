import { type Static, Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { orNull, time } from '../shapes.ts'
import { CheckView } from './checks.ts'

/** A presentation to check, as a file has it. */
export const PresentationCheckBody = Type.Object(
  {
    presentation: Type.String({
      minLength: 1,
      maxLength: 524_288,
      description: 'An SD-JWT VC with key binding (RFC 9901).',
    }),
    audience: Type.String({ minLength: 1, maxLength: 2000, description: 'The `aud` that its key binding must have.' }),
    nonce: Type.String({ minLength: 1, maxLength: 500, description: 'The `nonce` that its key binding must have.' }),
  },
  { $id: 'PresentationCheckBody' },
)

/** The outcome of the check of a presentation. */
export const PresentationCheck = Type.Object(
  {
    isValid: Type.Boolean({
      description: 'Every check passed. The issuer may still be unknown to the organisation: see `issuer.trust`.',
    }),
    checks: Type.Array(CheckView),
    issuer: orNull(
      Type.Object(
        {
          identifier: Type.String({ description: 'As proved by the signature.' }),
          name: orNull(
            Type.String({ description: 'What the organisation calls the issuer; null: it does not know it.' }),
          ),
          trust: Type.Enum(['own', 'trusted_entity', 'type_owner', 'unknown'], {
            description:
              'Why the organisation knows the issuer: it is itself, one of its trusted entities, or the owner of the type on this server.',
          }),
        },
        { additionalProperties: false },
      ),
    ),
    type: orNull(Type.String({ description: 'The `vct`.' })),
    claims: orNull(
      Type.Record(Type.String(), Type.Unsafe<Json>({}), {
        description: 'The disclosed claims; null unless the issuer and its holder signed them.',
      }),
    ),
    validUntil: orNull(time),
    isOfLink: Type.Boolean({ description: 'The audience is a link of a wallet of this server.' }),
  },
  { additionalProperties: false, $id: 'PresentationCheck' },
)

/** The type of {@link PresentationCheck}. */
export type PresentationCheck = Static<typeof PresentationCheck>
