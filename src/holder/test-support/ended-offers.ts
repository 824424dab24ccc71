import assert from 'node:assert/strict'
import type { HolderWorld } from './holder-world.ts'

/** The addresses of an offer. */
type Offer = { readonly id: string; readonly offerUri: string; readonly offerPageUri: string }

/** A clock that a test can set back. */
export class SettableClock {
  #msBack = 0
  now = (): Date => new Date(Date.now() - this.#msBack)

  /** Runs the work at an earlier time. */
  async before<T>(ms: number, work: () => Promise<T>): Promise<T> {
    this.#msBack = ms
    try {
      return await work()
    } finally {
      this.#msBack = 0
    }
  }
}

/** The path of the page of an offer. */
export const pageOf = ({ offerPageUri }: Offer) => new URL(offerPageUri).pathname

/**
 * Makes an offer for each way in which one of this deployment ends, none of them in the wallet of Thandi, and a link to
 * one that never was.
 */
export async function endedOffers(world: HolderWorld, clock: SettableClock) {
  // The shortest lifetime of an offer is a minute.
  const expired = await clock.before(65_000, () => world.issue(world.diploma.id, { expiresInSeconds: 60 }))
  const [taken, canceled, locked] = [await world.issue(), await world.issue(), await world.issue(world.withCode.id)]
  const other = await world.chirograph.wallet('globex', 'pieter')
  const redeem = (offer: Offer, txCode?: string) =>
    other.post('/wallet/v2/credentials', { credentialOffer: offer.offerUri, ...(txCode !== undefined && { txCode }) })
  assert.equal((await redeem(taken)).status, 201)
  assert.equal((await world.acme.delete(`/creds/credentials/${canceled.id}`)).status, 200)
  for (let tries = 5; tries > 0; tries -= 1) assert.equal((await redeem(locked, wrongCode(locked))).status, 422)
  return { taken, expired, canceled, locked, unknown: mistyped(canceled) } satisfies Record<string, Offer>
}

/** A code that is not the one of an offer. */
export const wrongCode = ({ txCode }: { readonly txCode?: string }) => (txCode === '000000' ? '000001' : '000000')

/** An offer whose link has one other character in the middle of its token. */
function mistyped({ id, offerUri, offerPageUri }: Offer): Offer {
  const token = offerPageUri.split('/').at(-1) ?? ''
  const other = token.slice(0, 20) + (token[20] === 'A' ? 'B' : 'A') + token.slice(21)
  const [uri, page] = [offerUri, offerPageUri].map((one) => one.replace(token, other))
  assert.ok(uri !== undefined && page !== undefined && uri !== offerUri)
  return { id, offerUri: uri, offerPageUri: page }
}
