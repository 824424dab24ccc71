/**
 * SQL: when the offer ends or, once redeemed, its access token; then the claims are erased. A code, which may have
 * brought a refresh token, keeps them until both have ended, and the time for new copies (null: none).
 */
export const CLAIMS_END =
  'case when family_id is null then coalesce(token_expires_at, expires_at) else greatest(token_expires_at, expires_at, refill_until) end'
/** SQL: `sweep_at` of a new offer, no later than the end of a token for which it is redeemed at once. */
export const firstSweep = (end: string, now: string) => `least(${end}, ${now} + interval '5 minutes')`
