import { type Static, Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'
import { EXAMPLE_OFFER, OfferBody } from './offers.ts'
import { previewFaults } from './refusals.ts'

const Time = time

const EXAMPLE_ID = '01937b5a-7c2e-7d10-9f3a-4b6c8d0e1f22'

const EXAMPLE_ISSUER = 'https://issuer.example.org/club'

/** Body of a new session: an offer, or an issuer and its configurations. */
export const SessionBody = Type.Object(
  {
    credentialOffer: Type.Optional(OfferBody.properties.credentialOffer),
    credentialIssuer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'Credential Issuer Identifier, to start without an offer.',
      }),
    ),
    credentialConfigurationIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
        minItems: 1,
        maxItems: 16,
        description: 'The credentials to request of `credentialIssuer`, by the names in its metadata.',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'IssuanceSessionBody',
    examples: [
      { credentialOffer: EXAMPLE_OFFER },
      { credentialIssuer: EXAMPLE_ISSUER, credentialConfigurationIds: ['membership'] },
    ],
  },
)

/** The type of {@link SessionBody}. */
export type SessionBody = Static<typeof SessionBody>

/** The states of an issuance session. All but pending and redeeming are final. */
export const sessionStatuses = ['pending', 'redeeming', 'completed', 'deferred', 'failed', 'expired'] as const

/** A session as the API shows it. */
export const IssuanceSession = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...sessionStatuses], {
      description:
        'pending: the holder has to sign in at the issuer. redeeming: the credentials are being fetched. completed: they are in the wallet, pending. deferred: they come later by themselves. failed: see error.',
    }),
    credentialIssuer: Type.String(),
    authorizationUrl: Type.Union([Type.String(), Type.Null()], {
      description:
        'The address that the holder opens, in a browser in which the holder is signed in here. null: the session is not pending.',
    }),
    openBefore: Type.Union([Time, Type.Null()], { description: 'When the issuer may stop to accept the address.' }),
    credentialIds: Type.Array(Type.String(), { description: 'The received credentials.' }),
    error: orNull(Type.Object({ code: Type.String(), message: Type.String() })),
    expiresAt: Time,
    createdAt: Time,
    updatedAt: Time,
  },
  {
    $id: 'IssuanceSession',
    examples: [
      {
        id: EXAMPLE_ID,
        status: 'pending',
        credentialIssuer: EXAMPLE_ISSUER,
        authorizationUrl: 'https://issuer.example.org/authorize?client_id=…&request_uri=…',
        openBefore: '2026-11-22T10:01:30.000Z',
        credentialIds: [],
        error: null,
        expiresAt: '2026-11-22T10:15:00.000Z',
        createdAt: '2026-11-22T10:00:00.000Z',
        updatedAt: '2026-11-22T10:00:00.000Z',
      },
    ],
  },
)

/** The type of {@link IssuanceSession}. */
export type IssuanceSession = Static<typeof IssuanceSession>

const ofIssuanceSessions = operationGroup({
  group: 'wallet',
  tag: 'credentials',
  path: '/v2/issuance-sessions',
  params: IdParams,
  reply: IssuanceSession,
  faults: ['holder.missing'],
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

/** Issuances that need the holder's sign-in at the issuer. */
export const issuanceSessions = {
  create: ofIssuanceSessions.post('', {
    summary: 'Prepares the sign-in of the holder at an issuer, and returns the address that the holder opens.',
    body: SessionBody,
    status: 201,
    faults: ['request.invalid', 'state.invalid', 'issuer_answer.invalid', ...previewFaults],
  }),

  get: ofIssuanceSessions.get('/{id}', {
    summary: 'Returns an issuance session; with `Prefer: wait`, once its status has changed.',
    longPoll: true,
  }),
} as const
