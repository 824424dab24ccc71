import { IdParams } from '../id-params.ts'
import { operationGroup } from '../operation-group.ts'
import { IssuanceView } from './issuances.ts'

const ofDeferrals = operationGroup({
  group: 'creds',
  tag: 'issuances',
  params: IdParams,
  reply: IssuanceView,
  scope: { read: 'issuance:read', write: 'issuance:write' },
})

/** Decisions about deferred credentials. */
export const deferrals = {
  approve: ofDeferrals.post('/credentials/{id}/approve', {
    summary:
      'Approves a credential that a wallet has asked for and whose template requires approval; the wallet gets it at its next poll.',
    faults: ['resource.unknown', 'state.invalid'],
  }),

  deny: ofDeferrals.post('/credentials/{id}/deny', {
    summary: 'Denies such a credential, for good, and erases its claims; the wallet is told at its next poll.',
    faults: ['resource.unknown', 'state.invalid'],
  }),
} as const
