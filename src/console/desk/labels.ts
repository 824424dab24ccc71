import { isJsonObject, type Json, parseJsonObject } from '../../crypto/json.ts'
import type { Language } from '../../pages/language.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import type { Frame } from '../frame/screen.ts'

/** Credentials of a response are mostly of one type; with the other calls of the page these are the five that a page may make. */
const TYPES_MAX = 3

/** What claims of credentials are called, by the type of the credential and the path of the claim. */
export type ClaimLabels = (type: string, path: readonly (string | null)[]) => string | null

type Kind = { readonly type: string; readonly format: string }

/**
 * Reads what the organisations of this deployment call the claims of their credentials, from the type metadata that everybody may read. A claim
 * without a name, of another server or of an mdoc, which has no such metadata, has no label.
 */
export async function readLabels({ api, language }: Frame, credentials: readonly Kind[]): Promise<ClaimLabels> {
  const issuers = `${api.address('/issuers')}/`
  const isHere = ({ type, format }: Kind) => format === 'sd-jwt-vc' && type.startsWith(issuers)
  const types = [...new Set(credentials.filter(isHere).map(({ type }) => type))].slice(0, TYPES_MAX)
  const read = async (type: string) => {
    const path = `/issuers/${type.slice(issuers.length)}`
    return [type, await readType({ api, language }, path)] as const
  }
  const labels = new Map(await Promise.all(types.map(read)))
  return (type, path) => labels.get(type)?.get(JSON.stringify(path)) ?? null
}

async function readType({ api, language }: Pick<Frame, 'api' | 'language'>, path: string) {
  try {
    const { claims } = parseJsonObject(await api.getText(path, 'application/json'))
    return new Map(list(claims).flatMap((claim) => labelled(claim, language)))
  } catch (error) {
    if (error instanceof ApiRefusal) return new Map<string, string>()
    throw error
  }
}

/** The label in the language of the page; else that in the language of the template, which comes first. */
function labelled({ path, display }: Entry, language: Language): readonly (readonly [path: string, label: string])[] {
  const names = list(display)
  const isInLanguage = ({ locale }: Entry) => String(locale).split('-', 1)[0]?.toLowerCase() === language
  const { label } = names.find(isInLanguage) ?? names[0] ?? {}
  return typeof label === 'string' && label !== '' ? [[JSON.stringify(path), label]] : []
}

type Entry = Readonly<Record<string, Json>>

function list(value: Json | undefined): readonly Entry[] {
  return Array.isArray(value) ? value.filter((one) => isJsonObject(one)) : []
}
