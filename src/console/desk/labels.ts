import type { Language } from '../../contract/languages.ts'
import { isJsonObject, type Json, parseJsonObject } from '../../crypto/json.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import type { Frame } from '../frame/screen.ts'

/**
 * Credentials of a response are mostly of one type; with the other calls of the page these are the five that a page may
 * make.
 */
const DOCUMENTS_MAX = 3

/** What claims of credentials are called, by the type of the credential and the path of the claim. */
export type ClaimLabels = (type: string, path: readonly (string | null)[]) => string | null

type Kind = { readonly type: string; readonly format: string }

/** Labels of one type, by the JSON of the path of a claim. */
type TypeLabels = readonly [type: string, labels: ReadonlyMap<string, string>]

/**
 * Reads what the claims of credentials are called, from documents that everybody may read: of an SD-JWT VC of this
 * deployment the metadata of its type, of an mdoc, whose type has none, the issuer metadata of the organisation of the
 * page. A claim without a name, and one of a type that these do not describe, has no label.
 */
export async function readLabels(frame: Frame, credentials: readonly Kind[]): Promise<ClaimLabels> {
  const issuers = `${frame.origin}/issuers/`
  const isHere = ({ type, format }: Kind) => format === 'sd-jwt-vc' && type.startsWith(issuers)
  const types = new Set(credentials.filter(isHere).map(({ type }) => type))
  const reads = [
    ...(credentials.some(({ format }) => format === 'mdoc') ? [() => readDocTypes(frame)] : []),
    ...[...types].map((type) => () => readType(frame, type, `/issuers/${type.slice(issuers.length)}`)),
  ]
  const read = await Promise.all(reads.slice(0, DOCUMENTS_MAX).map((one) => one()))
  const labels = new Map(read.flat())
  return (type, path) => labels.get(type)?.get(JSON.stringify(path)) ?? null
}

async function readType(frame: Frame, type: string, path: string): Promise<readonly TypeLabels[]> {
  const { claims } = await readDocument(frame, path)
  return [[type, labelsIn(claims, frame.language)]]
}

/** The labels of each document type of the organisation; of several templates with one, those of the last. */
async function readDocTypes(frame: Frame): Promise<readonly TypeLabels[]> {
  const path = `/.well-known/openid-credential-issuer/issuers/${frame.me.organisation.slug}`
  const { credential_configurations_supported: all } = await readDocument(frame, path)
  return Object.values(objectIn(all)).flatMap((configuration) => {
    const { doctype, credential_metadata: about } = objectIn(configuration)
    return typeof doctype === 'string' ? [[doctype, labelsIn(objectIn(about).claims, frame.language)] as const] : []
  })
}

/** A document of this server; without members if there is none, or it is missing. */
async function readDocument({ api, orMissing }: Frame, path: string): Promise<Entry> {
  try {
    const text = await orMissing(api.document(path))
    return text === null ? {} : parseJsonObject(text)
  } catch (error) {
    if (error instanceof ApiRefusal && error.status < 500 && error.status !== 401) return {}
    throw error
  }
}

function labelsIn(claims: Json | undefined, language: Language): ReadonlyMap<string, string> {
  return new Map(list(claims).flatMap((claim) => labelled(claim, language)))
}

/** The label in the language of the page; else that in the language of the template, which comes first. */
function labelled({ path, display }: Entry, language: Language): readonly (readonly [path: string, label: string])[] {
  const names = list(display)
  const isInLanguage = ({ locale }: Entry) => String(locale).split('-', 1)[0]?.toLowerCase() === language
  const { label: ofType, name } = names.find(isInLanguage) ?? names[0] ?? {}
  // Type metadata calls it `label`, issuer metadata `name`.
  const label = ofType ?? name
  return typeof label === 'string' && label !== '' ? [[JSON.stringify(path), label]] : []
}

type Entry = Readonly<Record<string, Json>>

function objectIn(value: Json | undefined): Entry {
  return value !== undefined && isJsonObject(value) ? value : {}
}

function list(value: Json | undefined): readonly Entry[] {
  return Array.isArray(value) ? value.filter((one) => isJsonObject(one)) : []
}
