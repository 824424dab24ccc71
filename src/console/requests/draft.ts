import type { GivenBody } from '../../contract/call.ts'
import type { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import { numberIn } from '../resource/fields.ts'
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
import { type AskedSet, combinationLines, setsIn, setsText } from './combinations.ts'
import type { RequestMeta, RequestTemplate } from './request.ts'
import {
  blankInfo,
  blankVerifier,
  INFOS_MAX,
  readVerifier,
  type VerifierDraft,
  verifierConfigOf,
  verifierOf,
  wireNames,
  withoutCredential,
} from './verifier-draft.ts'

/** A request as it is being edited. */
export type RequestDraft = {
  readonly name: string
  /** For colleagues. */
  readonly about: string
  readonly purpose: string
  /** How long the result is kept, in seconds; `''`: by default. */
  readonly keep: string
  /** `sets`: the combinations that are typed. */
  readonly which: 'all' | 'one' | 'sets'
  /** See {@link setsText}. */
  readonly sets: string
  readonly credentials: readonly AskedDraft[]
  readonly verifier: VerifierDraft
}

/** As many as a query of a wallet has. */
export const CREDENTIALS_MAX = 10

/** A request of which nothing was typed. */
export const blankRequest: RequestDraft = {
  name: '',
  about: '',
  purpose: '',
  keep: '',
  which: 'all',
  sets: '',
  credentials: [],
  verifier: blankVerifier,
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
    name: found.name,
    about: found.description,
    purpose: typeof config.purpose === 'string' ? config.purpose : '',
    keep: meta.retentionSeconds === null ? '' : String(meta.retentionSeconds),
    ...whichOf(config.credentialSets ?? [], names),
    verifier: verifierOf(config, names),
    credentials: found.credentials.map((one, at) => {
      const own = templates.find(({ type }) => type === one.type)
      const asked = rowsOfAttributes(one.attributes)
      const rows = own === undefined ? asked : merged(rowsOfTemplate(own), asked)
      const { type, format, name = own?.name ?? '', description: about = '' } = one
      const further = furtherAsked(meta.credentials[at] ?? {})
      return { ...blankCredential, type, format, name, about, rows, isOwn: own !== undefined, ...further }
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
    name: text('name'),
    about: text('about'),
    purpose: text('purpose'),
    keep: text('keep'),
    which: which === 'one' || which === 'sets' ? which : 'all',
    sets: combinationLines(text('sets')),
    credentials: Array.from({ length: count }, (_, at) => readCredential(fields, at)),
    verifier: readVerifier(fields),
  }
}

/** Returns the draft after a button; null: it is none. */
export function edited(draft: RequestDraft, button: string): RequestDraft | null {
  const [verb = '', first = '', second = ''] = button.split('-')
  const at = Number(first)
  const { verifier } = draft
  const infos =
    verb === 'info' && verifier.infos.length < INFOS_MAX
      ? [...verifier.infos, blankInfo]
      : verb === 'uninfo'
        ? verifier.infos.toSpliced(at, 1)
        : null
  if (infos !== null) return { ...draft, verifier: { ...verifier, infos } }
  const one = draft.credentials[at]
  if (one === undefined) return null
  if (verb === 'drop') {
    const credentials = draft.credentials.toSpliced(at, 1)
    return { ...draft, which: 'all', sets: '', credentials, verifier: withoutCredential(verifier, at) }
  }
  const rows =
    verb === 'row' ? [...one.rows, emptyAsked] : verb === 'unrow' ? one.rows.toSpliced(Number(second), 1) : null
  return rows === null ? null : { ...draft, credentials: draft.credentials.with(at, { ...one, rows }) }
}

/** Members of `verifierConfig` that the form has. */
const ownMembers: ReadonlySet<string> = new Set([
  ...Object.values(wireNames),
  'purpose',
  'expiresInSeconds',
  'verifierInfo',
  'credentialSets',
])

/** Returns the body for the API. @param meta Of the request that is replaced: members that no form has stay. */
export function requestBody(
  draft: RequestDraft,
  meta: RequestMeta | null,
): GivenBody<typeof presentationTemplates.create> {
  const { which, purpose, keep, name, about, credentials } = draft
  const sets = which === 'all' ? null : which === 'one' ? anyOf(credentials.length) : setsIn(draft.sets)
  const verifierConfig = {
    ...othersIn(meta?.verifierConfig ?? null),
    ...verifierConfigOf(draft.verifier),
    ...(purpose !== '' && { purpose }),
    ...(sets !== null && { credentialSets: sets }),
  }
  return {
    name,
    description: about,
    credentials: credentials.map((one) => credentialOf(one, which !== 'one')),
    ...(Object.keys(verifierConfig).length > 0 && { verifierConfig }),
    ...(keep !== '' && { retentionSeconds: numberIn(keep) }),
  }
}

/** Members that the form does not have. */
function othersIn(config: RequestMeta['verifierConfig']): Omit<NonNullable<typeof config>, 'credentialSets'> {
  const others = Object.entries(config ?? {}).filter(([name]) => !ownMembers.has(name))
  return Object.fromEntries(others)
}

/** What an attribute is called where there is no label. */
export function askedLabel({ label, path }: AskedRow): string {
  return label || askedPathText(path)
}
