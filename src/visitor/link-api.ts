import type { Language } from '../contract/languages.ts'
import type { PresentationCheck } from '../contract/verification/presentation-checks.ts'
import type { SharedPresentation } from '../contract/wallet/card-links.ts'
import { isJsonObject, type JsonObject, parseJson } from '../crypto/json.ts'
import { parseCompact } from '../crypto/jws.ts'
import { Fault } from '../fault.ts'
import type { PageContext } from '../pages/page-endpoint.ts'
import { parseSdJwt } from '../protocols/sd-jwt-vc/sd-jwt.ts'
import { type Asking, callPublicApi, type Reply } from './call-api.ts'

/** How an organisation appears to visitors, as the API says it. */
export type Face = {
  readonly slug: string
  readonly name: string
  readonly accentColor: string | null
  readonly languages: readonly Language[]
  readonly privacyUri: string | null
  readonly supportAddress: string | null
  readonly logoPath: string | null
}

/** A presentation with what it must be bound to. */
type PresentationFile = Pick<SharedPresentation, 'presentation' | 'audience' | 'nonce'>

type Viewing = Pick<PageContext, 'headers' | 'method' | 'language'>

/** Returns what a link shares. A browser that only looks ahead says so, and is not counted. */
export function readSharedCard(
  asking: Asking,
  { headers, method, language }: Viewing,
  secret: string,
): Promise<Reply<SharedPresentation>> {
  const purpose = method === 'HEAD' ? 'preview' : String(headers['sec-purpose'] ?? headers.purpose ?? '')
  const sent = { 'accept-language': language, ...(purpose !== '' && { purpose }) }
  return callPublicApi(asking, 'GET', `/shared/${encodeURIComponent(secret)}/presentation.json`, sent)
}

/** Has a presentation checked as an organisation would. */
export function callCheckPresentation(
  asking: Asking,
  slug: string,
  { presentation, audience, nonce }: PresentationFile,
): Promise<Reply<PresentationCheck>> {
  const path = `/verifiers/${encodeURIComponent(slug)}/presentation-checks`
  const body = JSON.stringify({ presentation, audience, nonce })
  return callPublicApi(asking, 'POST', path, { 'content-type': 'application/json' }, body)
}

/** Returns how an organisation appears. */
export function readOrganisation(asking: Asking, slug: string): Promise<Reply<Face>> {
  return callPublicApi(asking, 'GET', `/organisations/${encodeURIComponent(slug)}/about`, {})
}

/**
 * Reads a file that somebody was given: the download of a link, or an SD-JWT by itself, which states audience and nonce
 * in its key binding.
 */
export function readPresentationFile(bytes: Buffer): PresentationFile | 'pdf' | 'unknown' {
  const text = bytes.toString('utf8').trim()
  if (text.startsWith('%PDF')) return 'pdf'
  try {
    return text.startsWith('{') ? fileIn(parseJson(Buffer.from(text))) : boundIn(text)
  } catch (error) {
    if (error instanceof Fault || error instanceof SyntaxError) return 'unknown'
    throw error
  }
}

function fileIn(value: unknown): PresentationFile | 'unknown' {
  if (!isJsonObject(value)) return 'unknown'
  const { presentation, audience, nonce } = value
  return typeof presentation === 'string' && typeof audience === 'string' && typeof nonce === 'string'
    ? { presentation, audience, nonce }
    : 'unknown'
}

function boundIn(presentation: string): PresentationFile | 'unknown' {
  const { keyBinding } = parseSdJwt(presentation)
  const { aud, nonce }: JsonObject = keyBinding === null ? {} : parseCompact(keyBinding).payload
  return fileIn({ presentation, audience: aud ?? null, nonce: nonce ?? null })
}
