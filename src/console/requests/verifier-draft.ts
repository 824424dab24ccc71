import { isJsonObject, type Json, type JsonObject, parseJson } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import { typedAll } from '../frame/form-values.ts'
import { numberIn } from '../resource/fields.ts'

/** An attestation about the verifier as it is being edited. */
export type InfoDraft = {
  readonly format: string
  /** A text, or JSON of an object. */
  readonly data: string
  /** Positions of credentials; empty: all. */
  readonly credentials: readonly string[]
}

/** How requests are made from a template, as it is being edited. `''`: by default. */
export type VerifierDraft = {
  /** Lifetime of a request in seconds. */
  readonly expires: string
  readonly redirect: string
  readonly mode: string
  readonly scheme: string
  readonly signer: string
  readonly keyType: string
  readonly prefix: string
  readonly clientId: string
  readonly attestation: string
  readonly infos: readonly InfoDraft[]
}

/** Members that are texts, by their name in the form. */
export const wireNames = {
  redirect: 'redirectUri',
  mode: 'responseMode',
  scheme: 'scheme',
  signer: 'signer',
  keyType: 'keyType',
  prefix: 'clientIdPrefix',
  clientId: 'clientId',
  attestation: 'verifierAttestation',
} as const
type TextName = keyof typeof wireNames
// Object.keys loses the type of the keys.
const textNames = Object.keys(wireNames) as TextName[]
/** As many as the API takes. */
export const INFOS_MAX = 8

/** An attestation of which nothing was typed. */
export const blankInfo: InfoDraft = { format: '', data: '', credentials: [] }

/** Everything by default. */
export const blankVerifier: VerifierDraft = {
  expires: '',
  redirect: '',
  mode: '',
  scheme: '',
  signer: '',
  keyType: '',
  prefix: '',
  clientId: '',
  attestation: '',
  infos: [],
}

/** Returns the draft of a configuration. @param names Of the credentials, in their order. */
export function verifierOf(config: JsonObject, names: readonly string[]): VerifierDraft {
  const { expiresInSeconds, verifierInfo } = config
  const texts = textNames.map((name) => [name, textIn(config[wireNames[name]])])
  return {
    ...blankVerifier,
    ...Object.fromEntries(texts),
    expires: typeof expiresInSeconds === 'number' ? String(expiresInSeconds) : '',
    infos: (Array.isArray(verifierInfo) ? verifierInfo : []).filter(isJsonObject).map((one) => infoOf(one, names)),
  }
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function infoOf({ format, data = '', credentials }: JsonObject, names: readonly string[]): InfoDraft {
  const isPlain = typeof data === 'string' && !/^[{"]/.test(data)
  const named = Array.isArray(credentials) ? credentials : []
  const positions = named.map((one: Json) => (typeof one === 'string' ? names.indexOf(one) : one))
  return { format: textIn(format), data: isPlain ? data : JSON.stringify(data), credentials: positions.map(String) }
}

/** Returns what was typed. */
export function readVerifier(fields: Fields): VerifierDraft {
  const count = Math.min(Number(typed(fields, 'infos')) || 0, INFOS_MAX)
  const texts = textNames.map((name) => [name, typed(fields, name)])
  return {
    ...blankVerifier,
    ...Object.fromEntries(texts),
    expires: typed(fields, 'expires'),
    infos: Array.from({ length: count }, (_, at) => ({
      format: typed(fields, `iformat-${at}`),
      data: typed(fields, `idata-${at}`),
      credentials: typedAll(fields, `ifor-${at}`),
    })),
  }
}

/** Whether something is not by default. */
export function isConfigured({ infos, expires: _, ...texts }: VerifierDraft): boolean {
  return infos.length > 0 || Object.values(texts).some((one) => one !== '')
}

/** Returns the draft without a credential. */
export function withoutCredential(draft: VerifierDraft, at: number): VerifierDraft {
  const infos = draft.infos.map((info) => {
    const others = info.credentials.map(Number).filter((one) => one !== at)
    return { ...info, credentials: others.map((one) => String(one > at ? one - 1 : one)) }
  })
  return { ...draft, infos }
}

/** Returns the members for the API. */
export function verifierConfigOf(draft: VerifierDraft): object {
  const texts = textNames.filter((name) => draft[name] !== '').map((name) => [wireNames[name], draft[name]])
  const infos = statedInfos(draft)
  return {
    ...Object.fromEntries(texts),
    ...(draft.expires !== '' && { expiresInSeconds: numberIn(draft.expires) }),
    ...(infos.length > 0 && { verifierInfo: infos.map(wireInfo) }),
  }
}

/** Returns the attestations in which something was typed. */
export function statedInfos({ infos }: VerifierDraft): readonly InfoDraft[] {
  return infos.filter(({ format, data }) => format !== '' || data !== '')
}

function wireInfo({ format, data, credentials }: InfoDraft): object {
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
