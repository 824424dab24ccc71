import { createHash } from 'node:crypto'
import { type PathAsk, type PathResult, validatePath } from './validate-path.ts'

type Kept = { readonly result: PathResult; readonly from: number; readonly until: number }

const KEPT_MAX = 2_000
const kept = new Map<string, Kept>()

/**
 * As {@link validatePath}, remembering what was found good: by leaf, the rest of the chain, the anchors and everything that was asked, for
 * times at which all certificates of the path are valid and no revocation list has run out. What was refused is validated anew.
 */
export function validatedPath(ask: PathAsk): PathResult {
  const name = nameOf(ask)
  const found = kept.get(name)
  const at = ask.at.getTime()
  const now = ask.revocation?.now?.getTime() ?? at
  if (found !== undefined && found.from <= at && at <= found.until && now <= found.until) return found.result
  const result = validatePath(ask)
  if (!result.ok) return result
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? '')
  kept.set(name, { result, ...spanOf(result, ask) })
  return result
}

function nameOf({ chain, anchors, purpose, extendedKeyUsage, iaca, selfSigned, revocation }: PathAsk): string {
  const lists = revocation?.crls.map(({ fingerprint }) => fingerprint)
  const lengths = chain.map(({ length }) => length)
  const asked = [anchors.id, purpose, extendedKeyUsage, iaca, selfSigned, revocation?.policy, lists, lengths]
  const digest = createHash('sha256').update(JSON.stringify(asked))
  for (const one of chain) digest.update(one)
  return digest.digest('base64')
}

function spanOf({ path }: PathResult, { revocation }: PathAsk) {
  const ends = path.map(({ notAfter }) => notAfter.getTime())
  const lists = (revocation?.crls ?? []).map(({ nextUpdate }) => nextUpdate?.getTime() ?? 0)
  return {
    from: Math.max(...path.map(({ notBefore }) => notBefore.getTime())),
    until: Math.min(...ends, ...lists),
  }
}
