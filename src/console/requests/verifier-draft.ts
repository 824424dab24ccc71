import { isJsonObject, type Json, type JsonObject, parseJson } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import { typedAll } from '../frame/form-values.ts'

/** An attestation about the verifier as it is being edited. */
export type InfoDraft = {
  readonly format: string
  /** A text, or JSON of an object. */
  readonly data: string
  /** Positions of credentials; empty: all. */
  readonly credentials: readonly string[]
}

/** As many as the API takes. */
export const INFOS_MAX = 8

/** An attestation of which nothing was typed. */
export const blankInfo: InfoDraft = { format: '', data: '', credentials: [] }

/** Returns the attestations of a configuration. @param names Of the credentials, in their order. */
export function infosOf({ verifierInfo }: JsonObject, names: readonly string[]): readonly InfoDraft[] {
  return (Array.isArray(verifierInfo) ? verifierInfo : []).filter(isJsonObject).map((one) => infoOf(one, names))
}

function infoOf({ format, data = '', credentials }: JsonObject, names: readonly string[]): InfoDraft {
  const isPlain = typeof data === 'string' && !/^[{"]/.test(data)
  const named = Array.isArray(credentials) ? credentials : []
  const positions = named.map((one: Json) => (typeof one === 'string' ? names.indexOf(one) : one))
  return {
    format: typeof format === 'string' ? format : '',
    data: isPlain ? data : JSON.stringify(data),
    credentials: positions.map(String),
  }
}

/** Returns what was typed. */
export function readInfos(fields: Fields): readonly InfoDraft[] {
  const count = Math.min(Number(typed(fields, 'infos')) || 0, INFOS_MAX)
  return Array.from({ length: count }, (_, at) => ({
    format: typed(fields, `iformat-${at}`),
    data: typed(fields, `idata-${at}`),
    credentials: typedAll(fields, `ifor-${at}`),
  }))
}

/** Returns the attestations where a credential is no more. */
export function withoutCredential(infos: readonly InfoDraft[], at: number): readonly InfoDraft[] {
  return infos.map((info) => {
    const others = info.credentials.map(Number).filter((one) => one !== at)
    return { ...info, credentials: others.map((one) => String(one > at ? one - 1 : one)) }
  })
}

/** Returns the attestations in which something was typed. */
export function statedInfos(infos: readonly InfoDraft[]): readonly InfoDraft[] {
  return infos.filter(({ format, data }) => format !== '' || data !== '')
}

/** Returns an attestation for the API. */
export function wireInfo({ format, data, credentials }: InfoDraft): object {
  return { format, data: dataOf(data), ...(credentials.length > 0 && { credentials: credentials.map(Number) }) }
}

/** What looks like JSON and is none is a text. */
function dataOf(text: string): Json {
  if (!/^[{"]/.test(text)) return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
