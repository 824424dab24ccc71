import type { Json, JsonObject } from '../../crypto/json.ts'
import type { Details, Verifier } from '../cards/api-types.ts'

/** What the verifier would get of one card for one query. */
export type ClaimsPreview = {
  readonly queryId: string
  readonly credentialId: string
  /** The wallet proposes this card. */
  readonly isProposed: boolean
  readonly disclosed: readonly {
    readonly path: string
    readonly value: Json
    readonly isRequested: boolean
    /** Of a value inside an array: the path with indices. */
    readonly position?: string
  }[]
  readonly withheld: readonly string[]
  /** How many would leave, and stay, that are too much to list. */
  readonly disclosedMore?: number
  readonly withheldMore?: number
}

/** A request, as the API shows it. */
export type Asked = {
  readonly id: string
  readonly status: 'pending' | 'answered' | 'rejected' | 'expired' | 'failed'
  readonly selectedCredentials: readonly {
    readonly credentialId: string
    readonly matchedAttributes: readonly string[]
  }[]
}

/** Its `meta`. */
export type AskedMeta = {
  readonly verifier: Verifier
  readonly purpose?: string
  readonly retentionSeconds?: number
  /** A logo of the verifier is kept. */
  readonly hasLogo?: boolean
  /** The organisation wants the person to sign in again before this is shared. */
  readonly needsConfirmation?: boolean
  readonly expiresAt: string
  readonly alternatives: readonly {
    readonly queryId: string
    readonly required: boolean
    readonly multiple: boolean
    readonly credentials: readonly { readonly credentialId: string }[]
  }[]
  readonly alsoDisclosed?: readonly { readonly credentialId: string; readonly attributes: readonly string[] }[]
  readonly unmatched?: readonly { readonly queryId: string; readonly types: readonly string[] }[]
  readonly transactionData?: readonly { readonly type: string; readonly content: JsonObject }[]
  readonly preview?: readonly ClaimsPreview[]
  readonly credentials?: Readonly<Record<string, Details>>
  readonly redirectUri?: string
  readonly error?: { readonly code: string; readonly rule?: string }
}

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
 * What would be sent. `named`: the cards, where they are not those of the proposal that the API sends by itself;
 * null: the proposal. `instead`: the cards in place of it. `open`: queries that need an answer, where the person has
 * only cards that are suspended or revoked and has chosen none.
 */
export type Chosen = {
  readonly shown: readonly ClaimsPreview[]
  readonly named: readonly string[] | null
  readonly instead: Instead
  readonly open: readonly string[]
}

/**
 * Returns what would be sent: what the wallet proposes, except for cards that the person chose. A card that is not in
 * the proposal as it was stored, because a card of that is gone or revoked since, is named to the API as one that the
 * person chose. Named cards answer every query that they match, as the API does it: a chosen card may answer an
 * optional query too, and the person sees that.
 */
export function chosenOf({ data, meta }: Pick<Opened, 'data' | 'meta'>, wanted: Instead): Chosen {
  const { alternatives, preview = [] } = meta
  const one = (queryId: string, card: string) =>
    preview.filter((each) => each.queryId === queryId && each.credentialId === card)
  const proposal = preview.filter(({ isProposed }) => isProposed)
  const proposed = new Map(proposal.map(({ queryId, credentialId }) => [queryId, credentialId]))
  const asked = alternatives.filter(({ queryId, required }) => required || proposed.has(queryId))
  const cards = new Map(
    asked.flatMap(({ queryId }) => {
      const offered = [wanted.get(queryId), proposed.get(queryId)]
      const card = offered.find((each) => each !== undefined && one(queryId, each).length > 0)
      return card === undefined ? [] : [[queryId, card] as const]
    }),
  )
  const open = asked.map(({ queryId }) => queryId).filter((queryId) => !cards.has(queryId))
  const stored = new Set(data.selectedCredentials.map(({ credentialId }) => credentialId))
  const instead = new Map([...cards].filter(([query, card]) => card !== proposed.get(query) || !stored.has(card)))
  if (instead.size === 0) return { shown: proposal, named: null, instead, open }
  const named = [...new Set(cards.values())]
  const shown = alternatives.flatMap(({ queryId, multiple }) => {
    const matches = named.flatMap((card) => one(queryId, card))
    return multiple ? matches : matches.slice(0, 1)
  })
  return { shown, named, instead, open }
}
