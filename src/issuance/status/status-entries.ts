import { randomBytes } from '../../crypto/random.ts'

/** Entries of one status list. */
export const LIST_ENTRIES = 131_072
/** [TS-3] A list with more entries taken is closed once all candidates for a new entry are taken. */
export const LIST_FULL_ENTRIES = Math.floor(LIST_ENTRIES * 0.6)

/**
 * The credentials of a status list: bits per status (1 for an mdoc), and the authority that signs both the list and the
 * credentials. `authorityId`: the tenant's root above the signer's certificate, or an imported certificate without a
 * root; null: a key without a certificate, which `kid` names as in the header of the credentials.
 */
export type ListKind = { readonly bits: 1 | 2; readonly authorityId: string | null; readonly kid: string | null }

const CANDIDATES_EACH = 4
const CANDIDATES_MORE = 16

/**
 * Returns distinct random entries to choose from. With 20 candidates for one copy, a list that is 60 % full has none
 * free once in 27,000 times.
 *
 * @param count Entries that will be taken.
 */
export function entryCandidates(count: number): number[] {
  const size = count * CANDIDATES_EACH + CANDIDATES_MORE
  const found = new Set<number>()
  while (found.size < size) {
    const bytes = randomBytes(size * 4)
    // 2^17 divides 2^32, so the distribution is uniform.
    for (let at = 0; at < bytes.length && found.size < size; at += 4) found.add(bytes.readUInt32BE(at) % LIST_ENTRIES)
  }
  return [...found]
}
