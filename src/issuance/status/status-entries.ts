import { randomBytes } from '../../crypto/random.ts'

/** Entries of one status list. */
export const LIST_ENTRIES = 131_072
/** [TS-3] A list that is fuller than this is ended when the candidates for an entry were all taken. */
export const LIST_FULL_ENTRIES = Math.floor(LIST_ENTRIES * 0.6)

/**
 * What a status list is for: credentials whose status needs so many bits (an mdoc wants one), signed under the same authority as the list.
 * `authorityId`: the root of the tenant, or the imported certificate without one, that the signer's certificate is under; null for the
 * tenant's did:web keys.
 */
export type ListKind = { readonly bits: 1 | 2; readonly authorityId: string | null }

/** The lists of what is signed with the tenant's did:web keys. */
export const didListKind: ListKind = { bits: 2, authorityId: null }

const CANDIDATES_EACH = 4
const CANDIDATES_MORE = 16

/**
 * Random entries to choose from, each once. With 20 of them for one copy, a list that is 60 % full has none free once in 27,000 times.
 *
 * @param count How many will be taken.
 */
export function entryCandidates(count: number): number[] {
  const wanted = count * CANDIDATES_EACH + CANDIDATES_MORE
  const found = new Set<number>()
  while (found.size < wanted) {
    const bytes = randomBytes(wanted * 4)
    // 2^17 divides 2^32, so each entry is equally likely
    for (let at = 0; at < bytes.length && found.size < wanted; at += 4) found.add(bytes.readUInt32BE(at) % LIST_ENTRIES)
  }
  return [...found]
}
