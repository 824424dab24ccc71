import type { MetaOf, ReplyOf } from '../../contract/api-operation.ts'
import type { presentations } from '../../contract/wallet/presentations.ts'

/** A request, as the API shows it. */
export type Asked = ReplyOf<typeof presentations.get>

/** Its `meta`. */
export type AskedMeta = MetaOf<typeof presentations.get>

/** What the verifier would get of one card for one query. */
export type ClaimsPreview = NonNullable<AskedMeta['preview']>[number]

/** A request with the tag of what is shown. */
export type Opened = { readonly data: Asked; readonly meta: AskedMeta; readonly etag: string }

/** The cards that a person chose instead of the proposed ones: by query. */
export type Instead = ReadonlyMap<string, string>

/** Reads the member `use`: `query:card` pairs. Unknown ones are left out. */
export function readInstead(text: string, { alternatives }: Pick<AskedMeta, 'alternatives'>): Instead {
  const pairs = text.split(',').map((one) => {
    const at = one.lastIndexOf(':')
    return [one.slice(0, at), one.slice(at + 1)] as const
  })
  const isOffered = ([query, card]: readonly [string, string]) =>
    alternatives.some(
      (one) => one.queryId === query && one.credentials.some(({ credentialId }) => credentialId === card),
    )
  return new Map(pairs.filter(isOffered))
}

/** Writes the member `use`. */
export function writeInstead(instead: Instead): string {
  return [...instead].map((pair) => pair.join(':')).join(',')
}

/**
 * What would be sent. `named`: the cards, where they are not those of the proposal; null: the proposal. `instead`: the
 * cards in place of it.
 */
export type Chosen = {
  readonly shown: readonly ClaimsPreview[]
  readonly named: readonly string[] | null
  readonly instead: Instead
}

/**
 * Returns what would be sent. The proposal is the first card of each required query, or of the optional ones if none is
 * required; for a card that is gone since, the next one stands in. Named cards answer every query that they match, as
 * the API does it: a chosen card may answer an optional query too, and the person sees that.
 */
export function chosenOf({ alternatives, preview = [] }: AskedMeta, wanted: Instead): Chosen {
  const required = alternatives.filter((one) => one.required)
  const asked = required.length > 0 ? required : alternatives
  const one = (queryId: string, card: string | undefined) =>
    preview.filter((each) => each.queryId === queryId && each.credentialId === card)
  const cards = asked.map(({ queryId, credentials }) => {
    const offered = [wanted.get(queryId), ...credentials.map(({ credentialId }) => credentialId)]
    const card = offered.find((each) => one(queryId, each).length > 0)
    return { queryId, card, isProposed: card === credentials[0]?.credentialId }
  })
  const others = cards.flatMap(({ queryId, card, isProposed }) =>
    isProposed || card === undefined ? [] : [[queryId, card] as const],
  )
  const instead = new Map(others)
  if (instead.size === 0)
    return { shown: cards.flatMap(({ queryId, card }) => one(queryId, card)), named: null, instead }
  const named = [...new Set(cards.flatMap(({ card }) => card ?? []))]
  const shown = alternatives.flatMap(({ queryId, multiple }) => {
    const matches = named.flatMap((card) => one(queryId, card))
    return multiple ? matches : matches.slice(0, 1)
  })
  return { shown, named, instead }
}
