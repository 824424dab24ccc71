import { Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { operationGroup } from '../operation-group.ts'

const KeptAttributes = Type.Object(
  {
    credentialTemplateId: Type.String({ format: 'uuid' }),
    attributes: Type.Object(
      {},
      { additionalProperties: true, description: 'As in the request that issued it: the body of a correction.' },
    ),
  },
  { $id: 'KeptAttributes' },
)

const ofIssuances = operationGroup({
  group: 'creds',
  tag: 'issuances',
  params: IdParams,
  // Who may issue a correction may read what is to be corrected.
  scope: 'issuance:write',
  reply: KeptAttributes,
})

/** What is still there of the attributes of an issuance. */
export const keptAttributes = {
  get: ofIssuances.get('/credentials/issuance/{id}/attributes', {
    operationId: 'getIssuanceAttributes',
    summary:
      'Returns the attributes of an issuance, to correct its credential: while its offer is open, and longer where ' +
      'the organisation keeps them (the setting `heldAttributes`).',
    faults: ['resource.unknown', 'state.invalid'],
  }),
} as const
