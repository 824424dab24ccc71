import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { hasNameWord } from '../names/name-word-store.ts'
import { CLAIMS_END } from '../offers/claims-end.ts'
import type { CredentialStatus, Issuance, IssuanceStatus } from './issuance.ts'
import { isOfferOver, issuanceColumns } from './issuance-store.ts'

/** Filters of the list of issuances. */
export type IssuanceFilter = {
  readonly templateId?: string | undefined
  readonly status?: IssuanceStatus | undefined
  readonly credentialStatus?: CredentialStatus | undefined
  readonly reference?: string | undefined
  /** The beginning of the reference. */
  readonly referencePrefix?: string | undefined
  /** Keyed hashes of words that are all in its name; eight at most. None: no issuance is found. */
  readonly nameWords?: readonly Buffer[] | undefined
  readonly holderId?: string | undefined
  readonly batchId?: string | undefined
  /** The mail with its offer failed within the last 30 days, before the offer ended. */
  readonly hasFailedMail?: 'true' | undefined
  /** Credentials that were issued, can be revoked, and have one of these statuses. */
  readonly standings?: readonly string[] | undefined
  /** Of an issued credential. */
  readonly validBefore?: Date | undefined
  readonly validAfter?: Date | undefined
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

// Few: a sweep expires ended offers. As ids, so that each part of the filter uses its own index.
const overIds = `array(select o.id from issuance o where o.tenant_id = $1 and o.sealed_claims is not null and ${isOfferOver('$2')})`
const statusIs = {
  // An open offer has claims, and rows with claims are in the index of the sweep.
  offered: `status = 'offered' and ${CLAIMS_END} > $2 and sealed_claims is not null`,
  // An issuance has one credential, so no row is in this state; the index finds none at once.
  partiallyIssued: `ended = 'partiallyIssued'`,
  completed: `status = 'completed'`,
  failed: `ended = 'failed'`,
  expired: `ended = 'expired' or id = any(${overIds})`,
  canceled: `ended = 'canceled'`,
} satisfies Record<IssuanceStatus, string>

const credentialStatusIs = {
  offered: `${statusIs.offered} and approval is null`,
  deferred: `notable = 'deferred' and ${CLAIMS_END} > $2`,
  // Those that can still be accepted have claims, as an open offer; of the others an index has those that never were.
  issued: `status = 'completed' and credential_status = 'issued' and notable is null
    and (unaccepted or sealed_claims is not null)`,
  // Nearly every issuance, so the page is full before many rows are read.
  accepted: `status = 'completed' and credential_status = 'accepted' and notable is null`,
  rejected: `notable = 'rejected'`,
  failed: `ended = 'failed' and standing = 'valid'`,
  expired: `(ended in ('expired', 'canceled') or id = any(${overIds})) and standing = 'valid'`,
  suspended: `notable = 'suspended'`,
  revoked: `notable = 'revoked'`,
} satisfies Record<CredentialStatus, string>
const LAST_POINT = 0x10ffff
const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000

const hasWord = (mac: string) => hasNameWord('issuance.id', mac)

const page = pagedList({
  name: 'issuance.list_issuances',
  select: `select ${issuanceColumns('$2')} from issuance where tenant_id = $1`,
  parameters: 2,
  id: 'id',
  filters: {
    templateId: (value) => `template_id = ${value}`,
    status: statusIs,
    credentialStatus: credentialStatusIs,
    // In the order of bytes, as the index.
    reference: (value) => `reference collate "C" = ${value}`,
    referencePrefix: (value) => `reference collate "C" >= ${value} and starts_with(reference, ${value})`,
    referenceEnd: (value) => `reference collate "C" < ${value}`,
    // Each is a join of its own: PostgreSQL begins with the word that fewest names have.
    nameWord1: hasWord,
    nameWord2: hasWord,
    nameWord3: hasWord,
    nameWord4: hasWord,
    nameWord5: hasWord,
    nameWord6: hasWord,
    nameWord7: hasWord,
    nameWord8: hasWord,
    holderId: (value) => `holder_id = ${value}`,
    batchId: (value) =>
      `id = any(array(select b.issuance_id from issuance_batch_item b where b.tenant_id = $1 and b.batch_id = ${value}))`,
    // As the figure of the overview counts them.
    hasFailedMail: {
      true: `id = any(array(select m.id from offer_mail m where m.tenant_id = $1 and m.state = 'failed' and m.reason <> 'offer_ended' and m.at > $2::timestamptz - interval '30 days'))`,
    },
    standings: (value) => `issued_at is not null and revocable and standing = any(${value}::text[])`,
    validBefore: (value) => `valid_until < ${value}`,
    validAfter: (value) => `valid_until >= ${value}`,
    // An id carries the time of created_at.
    createdAfter: (value) => `id >= ${value}`,
    createdBefore: (value) => `id < ${value}`,
  },
  indexed: [
    ['reference'],
    ['referencePrefix', 'referenceEnd'],
    ['nameWord1'],
    ['holderId'],
    ['batchId'],
    ['templateId'],
  ],
  ids: ['createdAfter', 'createdBefore'],
  plannedByValue: ['validBefore', 'validAfter', 'nameWord1'],
})

/** Returns one page of issuances, newest first by default, plus one row if there are more. */
export async function listIssuances(
  tx: TenantTx,
  ask: PageRequest,
  { createdAfter, createdBefore, nameWords, ...filter }: IssuanceFilter,
  now: Date,
): Promise<Issuance[]> {
  if (nameWords?.length === 0) return []
  const range = {
    referenceEnd: filter.referencePrefix && afterPrefix(filter.referencePrefix),
    createdAfter: createdAfter && lowestIdAt(createdAfter),
    createdBefore: createdBefore && lowestIdAt(createdBefore),
  }
  return page<Issuance>(tx, ask, [tx.tenantId, now], { ...filter, ...range, ...wordsOf(nameWords) })
}

function wordsOf(nameWords: readonly Buffer[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(nameWords.map((mac, at) => [`nameWord${at + 1}`, mac.toString('hex')]))
}

/**
 * Returns a text after all those that begin with a prefix, in the order of the bytes of UTF-8; undefined if there is
 * none.
 */
function afterPrefix(prefix: string): string | undefined {
  const points = [...prefix].map((one) => one.codePointAt(0) ?? 0)
  while ((points.at(-1) ?? 0) >= LAST_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // No text has a surrogate.
  return String.fromCodePoint(...points, last + 1 === FIRST_SURROGATE ? AFTER_SURROGATES : last + 1)
}
