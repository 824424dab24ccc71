import { type Step, sql, type TenantTx } from '../../store/store.ts'

const insertWords = sql(
  'issuance.insert_name_words',
  `insert into issuance_name_word (tenant_id, issuance_id, word_mac)
   select $1, one.issuance_id, one.word_mac from unnest($2::uuid[], $3::bytea[]) as one (issuance_id, word_mac)
   returning issuance_id`,
)

/** The words of the name of an issuance, as keyed hashes. */
type NamedIssuance = { readonly id: string; readonly wordMacs: readonly Buffer[] }

/**
 * Returns the step that inserts the words of issuances, for the transaction that inserts these; no step where none has
 * a name. One statement, for a few hundred issuances.
 */
export function nameWordSteps({ tenantId }: TenantTx, named: readonly NamedIssuance[]): readonly Step[] {
  const ids = named.flatMap(({ id, wordMacs }) => wordMacs.map(() => id))
  const macs = named.flatMap(({ wordMacs }) => wordMacs)
  return macs.length === 0 ? [] : [{ statement: insertWords, values: [tenantId, ids, macs] }]
}

/**
 * SQL condition: the issuance of the tenant $1 whose id is `id` has this word in its name. `mac`, SQL too, is its hash
 * in hex.
 */
export const hasNameWord = (id: string, mac: string) =>
  `exists (select from issuance_name_word w where w.tenant_id = $1 and w.issuance_id = ${id} and w.word_mac = decode(${mac}, 'hex'))`
