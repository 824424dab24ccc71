import { type Static, Type } from 'typebox'
import { purposes } from '../../crypto/x509-path/anchor.ts'
import { UUID_PATTERN } from '../../uuid.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'

/** How many DIDs, certificates and issuer addresses an entity may have, of each. */
const EACH_MAX = 20

const PEM_CHARS_MAX = 32_768

const name = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' })

const Did = Type.Object(
  {
    did: Type.String({ minLength: 1, maxLength: 2048, description: 'A DID without path, query and fragment.' }),
    name: Type.Optional(name),
  },
  { additionalProperties: false },
)

const Purposes = Type.Array(Type.Enum([...purposes]), { uniqueItems: true, maxItems: purposes.length })

/** Body of POST and PUT; a PUT replaces all of it. */
export const TrustedEntityBody = Type.Object(
  {
    name,
    dids: Type.Optional(Type.Array(Did, { maxItems: EACH_MAX })),
    certificates: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: PEM_CHARS_MAX }), {
        maxItems: EACH_MAX,
        description:
          'Certificates of certification authorities, each one PEM block: what they signed is trusted. With the purpose verifier alone also a self-signed certificate of a verifier, which is trusted as itself.',
      }),
    ),
    issuers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), {
        maxItems: EACH_MAX,
        description: 'https identifiers of issuers: their `iss`, and the `credential_issuer` of their offers.',
      }),
    ),
    purposes: Type.Optional({
      ...Purposes,
      description:
        'What the entity is trusted for: `issuer` (the default), `verifier`, `status` (signing status lists), `attester` (attesting the keys of wallets).',
    }),
    signerUsages: Type.Optional(
      Type.Array(Type.String({ pattern: '^(none|[0-9]+([.][0-9]+)+)$', maxLength: 128 }), {
        maxItems: EACH_MAX,
        uniqueItems: true,
        description:
          'Extended key usages of the signers of credentials and status lists below `certificates`, as object ' +
          'identifiers; `none`: certificates without extended key usages. A signer has one of them. Empty, the ' +
          'default: those that the kind of credential requires.',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'TrustedEntityBody',
    examples: [{ name: 'University of the Cape', dids: [{ did: 'did:web:uc.example', name: 'Registrar' }] }],
  },
)

/** Checked body of POST and PUT. */
export type TrustedEntityBody = Static<typeof TrustedEntityBody>

/** A trusted entity as our API shows it. */
export const TrustedEntityReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    dids: Type.Array(Type.Object({ did: Type.String(), name: Type.Optional(Type.String()) })),
    certificates: Type.Array(Type.String({ description: 'PEM.' })),
    issuers: Type.Array(Type.String()),
    purposes: Type.Array(Type.Enum([...purposes])),
    signerUsages: Type.Array(Type.String()),
    createdAt: time,
    updatedAt: time,
  },
  { additionalProperties: false, $id: 'TrustedEntity' },
)

/** A trusted entity as our API shows it. */
export type TrustedEntityReply = Static<typeof TrustedEntityReply>

const ONE_ID = UUID_PATTERN.slice(1, -1)

/** Query of the list of trusted entities. */
const TrustedEntityListQuery = listQuery({
  filters: {
    did: Type.String({ minLength: 1, maxLength: 2048 }),
    id: Type.String({
      pattern: `^${ONE_ID}(,${ONE_ID}){0,99}$`,
      description: 'Only the one with this id, or those with one of several, separated by commas.',
    }),
  },
  searches: ['name'],
  sorts: ['createdAt', 'name'],
})

const Time = time

/** The `meta` of a trusted entity. */
const TrustedEntityMeta = Type.Object(
  {
    certificates: Type.Array(
      Type.Object({
        subject: Type.String(),
        issuer: Type.String(),
        subjectKeyIdentifier: Type.String(),
        notBefore: Time,
        notAfter: Time,
      }),
    ),
  },
  { $id: 'TrustedEntityMeta' },
)

const ofTrustedEntities = operationGroup({
  group: 'creds',
  tag: 'trusted entities',
  path: '/trusted-entities',
  replyHeaders: ['ETag'],
  reply: TrustedEntityReply,
  meta: TrustedEntityMeta,
  scope: { read: 'trust:read', write: 'trust:write' },
})

/** Issuers, verifiers and wallet providers that the tenant trusts. */
export const trustedEntities = {
  create: ofTrustedEntities.post('', {
    summary:
      'Creates a trusted entity: an issuer or verifier that the organisation trusts, by DIDs, certificates or issuer addresses.',
    body: TrustedEntityBody,
    status: 201,
    faults: ['certificate.invalid'],
  }),

  list: ofTrustedEntities.list('', {
    summary: 'Lists the entities that the organisation trusts.',
    query: TrustedEntityListQuery,
  }),

  get: ofTrustedEntities.get('/{id}', {
    summary: 'Returns a trusted entity, with the subjects and validity of its certificates in `meta`.',
  }),

  replace: ofTrustedEntities.put('/{id}', {
    summary: 'Replaces a trusted entity entirely, with immediate effect, also for open presentation requests.',
    body: TrustedEntityBody,
    ifMatch: true,
    faults: ['certificate.invalid', 'resource.changed'],
  }),

  delete: ofTrustedEntities.delete('/{id}', {
    summary: 'Deletes a trusted entity. Templates that trust only this entity accept no issuer from then on.',
    reply: undefined,
  }),
} as const
