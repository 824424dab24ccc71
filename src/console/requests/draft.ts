import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import { type Draft, linesTyped } from '../resource/fields.ts'
import type { Template } from '../templates/content/template.ts'
import {
  type AskedRow,
  askedPathText,
  emptyAsked,
  merged,
  rowsOfAttributes,
  rowsOfTemplate,
} from './asked-attributes.ts'
import { type AskedDraft, blankCredential, credentialOf, furtherAsked, readCredential } from './asked-credential.ts'
import { type AskedSet, setsIn, setsText } from './combinations.ts'
import { requestFields } from './fields.ts'
import type { RequestMeta, RequestTemplate } from './request.ts'
import {
  blankInfo,
  INFOS_MAX,
  type InfoDraft,
  infosOf,
  readInfos,
  statedInfos,
  wireInfo,
  withoutCredential,
} from './verifier-draft.ts'

/** A request as it is being edited. */
export type RequestDraft = {
  /** See {@link requestFields}. */
  readonly plain: Draft
  /** `sets`: the combinations that are typed. */
  readonly which: 'all' | 'one' | 'sets'
  /** See {@link setsText}. */
  readonly sets: string
  readonly credentials: readonly AskedDraft[]
  /** Attestations about the verifier. */
  readonly infos: readonly InfoDraft[]
}

/** As many as a query of a wallet has. */
export const CREDENTIALS_MAX = 10

/** A request of which nothing was typed. */
export const blankRequest: RequestDraft = {
  plain: requestFields.blank,
  which: 'all',
  sets: '',
  credentials: [],
  infos: [],
}

/**
 * Returns the draft of a request that exists.
 *
 * @param templates Own templates, for the attributes that are not asked for.
 */
export function draftOfRequest(
  found: RequestTemplate,
  meta: RequestMeta,
  templates: readonly Template[],
): RequestDraft {
  const config = meta.verifierConfig ?? {}
  const names = found.credentials.map(({ name = '' }) => name)
  return {
    plain: requestFields.saved({ ...found, ...meta }),
    ...whichOf(config.credentialSets ?? [], names),
    infos: infosOf(config, names),
    credentials: found.credentials.map((one, at) => {
      const own = templates.find(({ type }) => type === one.type)
      const asked = rowsOfAttributes(one.attributes)
      const rows = own === undefined ? asked : merged(rowsOfTemplate(own), asked)
      const { type, format, name = own?.name ?? '' } = one
      const further = furtherAsked({ ...one, ...meta.credentials[at] })
      return { ...blankCredential, type, format, name, rows, isOwn: own !== undefined, ...further }
    }),
  }
}

/** One set of which each option is one credential: one of them is enough. */
function whichOf(stated: readonly AskedSet[], names: readonly string[]): Pick<RequestDraft, 'which' | 'sets'> {
  const sets = setsText(stated, names)
  if (sets === '') return { which: 'all', sets }
  return sets === setsText(anyOf(names.length), names) ? { which: 'one', sets: '' } : { which: 'sets', sets }
}

function anyOf(count: number): readonly AskedSet[] {
  return [{ options: Array.from({ length: count }, (_, at) => [at]) }]
}

/** Returns the draft that a form holds. */
export function readRequestDraft(fields: Fields): RequestDraft {
  const text = (name: string) => typed(fields, name)
  const which = text('which')
  const count = Math.min(Number(text('credentials')) || 0, CREDENTIALS_MAX)
  return {
    plain: requestFields.read(fields),
    which: which === 'one' || which === 'sets' ? which : 'all',
    sets: linesTyped(fields, 'sets'),
    credentials: Array.from({ length: count }, (_, at) => readCredential(fields, at)),
    infos: readInfos(fields),
  }
}

/** Returns the draft after a button; null: it is none. */
export function edited(draft: RequestDraft, button: string): RequestDraft | null {
  const [verb = '', first = '', second = ''] = button.split('-')
  const at = Number(first)
  const { infos } = draft
  if (verb === 'info') return infos.length < INFOS_MAX ? { ...draft, infos: [...infos, blankInfo] } : null
  if (verb === 'uninfo') return { ...draft, infos: infos.toSpliced(at, 1) }
  const one = draft.credentials[at]
  if (one === undefined) return null
  if (verb === 'drop') {
    const credentials = draft.credentials.toSpliced(at, 1)
    return { ...draft, which: 'all', sets: '', credentials, infos: withoutCredential(infos, at) }
  }
  const rows =
    verb === 'row' ? [...one.rows, emptyAsked] : verb === 'unrow' ? one.rows.toSpliced(Number(second), 1) : null
  return rows === null ? null : { ...draft, credentials: draft.credentials.with(at, { ...one, rows }) }
}

/** Returns the body for the API. @param meta Of the request that is replaced: members that no form has stay. */
export function requestBody(draft: RequestDraft, meta: RequestMeta | null): object {
  const { which, credentials } = draft
  const sets = which === 'all' ? null : which === 'one' ? anyOf(credentials.length) : setsIn(draft.sets)
  const infos = statedInfos(draft.infos)
  const { verifierConfig: config, ...plain } = requestFields.body(draft.plain)
  const verifierConfig = {
    ...othersIn(meta?.verifierConfig ?? null),
    ...(isJsonObject(config ?? null) && (config as JsonObject)),
    ...(infos.length > 0 && { verifierInfo: infos.map(wireInfo) }),
    ...(sets !== null && { credentialSets: sets }),
  }
  return {
    ...plain,
    credentials: credentials.map((one) => credentialOf(one, which !== 'one')),
    ...(Object.keys(verifierConfig).length > 0 && { verifierConfig }),
  }
}

/** Members that the form does not have. */
function othersIn(config: RequestMeta['verifierConfig']): JsonObject {
  const known = Object.keys(presentationTemplates.create.body.properties.verifierConfig.properties)
  // What the API returned is JSON.
  const others = Object.entries((config ?? {}) as JsonObject).filter(([name]) => !known.includes(name))
  return Object.fromEntries(others)
}

/** What an attribute is called where there is no label. */
export function askedLabel({ label, path }: AskedRow): string {
  return label || askedPathText(path)
}
