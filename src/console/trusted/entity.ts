import type { ReplyOf } from '../../contract/api-operation.ts'
import type { GivenBody } from '../../contract/call.ts'
import type { trustedEntities } from '../../contract/trust/trusted-entities.ts'
import { typed } from '../../pages/once.ts'
import { type Problems, problemsOf, typedAll } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { pemLines } from './pem-lines.ts'
import { type TrustedTexts, trustedTexts } from './texts.ts'

/** Path of the list. */
export const LIST = '/console/trusted'
/** The entry of the menu. */
export const place = 'trusted'

/** A trusted entity as the API shows it. */
export type Entity = ReplyOf<typeof trustedEntities.get>

/** What is in the form. */
export type Draft = {
  readonly name: string
  readonly purposes: readonly string[]
  readonly issuers: string
  /** One a line, each with its name behind a space. */
  readonly dids: string
  readonly certificates: string
  /** One a line. */
  readonly signerUsages: string
  readonly etag: string
}

/** Returns the form of an entity. */
export function draftOf(entity: Entity, etag: string): Draft {
  const { name, purposes, issuers, dids, certificates, signerUsages } = entity
  return {
    name,
    purposes,
    etag,
    issuers: issuers.join('\n'),
    dids: dids.map(({ did, name: of = '' }) => `${did} ${of}`.trim()).join('\n'),
    certificates: certificates.join(''),
    signerUsages: signerUsages.join('\n'),
  }
}

/** The form of a new entity. */
export const blank: Draft = {
  name: '',
  purposes: ['issuer'],
  issuers: '',
  dids: '',
  certificates: '',
  signerUsages: '',
  etag: '',
}

/** Returns what was typed. */
export function readDraft({ fields }: Pick<Frame, 'fields'>): Draft {
  const text = (name: string) => typed(fields, name).replaceAll('\r\n', '\n')
  const [issuers, dids, certificates] = [text('issuers'), text('dids'), text('certificates')]
  return {
    name: text('name'),
    purposes: typedAll(fields, 'purposes'),
    issuers,
    dids,
    certificates,
    signerUsages: text('signerUsages'),
    etag: text('etag'),
  }
}

/** Returns what can be told before the API is asked. */
export function checkDraft({ name, purposes, certificates }: Draft, frame: Frame): Problems {
  const t = trustedTexts[frame.language]
  const [fault] = pemLines(certificates).faults
  return {
    fields: {
      ...(name === '' && { name: frame.t.required(t.name) }),
      ...(purposes.length === 0 && { 'purposes-issuer': t.purposesHint }),
      ...(fault !== undefined && { certificates: t.pem[fault.rule](fault.line) }),
    },
  }
}

/** Returns the body for the API. */
export function bodyOf(draft: Draft): GivenBody<typeof trustedEntities.create> {
  return {
    name: draft.name,
    purposes: draft.purposes,
    issuers: linesOf(draft.issuers).map(([, one]) => one),
    dids: linesOf(draft.dids).map(([, line]) => didIn(line)),
    certificates: pemLines(draft.certificates).blocks.map(({ text }) => text),
    signerUsages: linesOf(draft.signerUsages).map(([, one]) => one),
  }
}

/** A DID, and after a space what it is called. */
function didIn(line: string): { readonly did: string; readonly name?: string } {
  const [did = '', ...words] = line.split(/\s+/)
  return { did, ...(words.length > 0 && { name: words.join(' ') }) }
}

/** Returns the findings of the API at the fields, each with its line. */
export function refusedDraft(error: unknown, draft: Draft, t: TrustedTexts): Problems {
  const names = ['issuers', 'dids', 'certificates', 'signerUsages'] as const
  const findings = problemsOf(error, (pointer) => pointer)
  const fields: Record<string, string> = {}
  for (const [pointer, why] of Object.entries(findings.fields)) {
    const [, name = '', index = ''] = pointer.split('/')
    const list = names.find((one) => one === name)
    const text = list === undefined ? why : lineText(list, draft, Number(index), why, t)
    const field = name === 'purposes' ? 'purposes-issuer' : name
    fields[field] = fields[field] === undefined ? text : `${fields[field]} ${text}`
  }
  return { fields, general: findings.general }
}

function lineText(
  list: 'issuers' | 'dids' | 'certificates' | 'signerUsages',
  draft: Draft,
  at: number,
  why: string,
  t: TrustedTexts,
) {
  if (list === 'certificates') {
    const block = pemLines(draft.certificates).blocks[at]
    return block === undefined ? why : t.pem.at(block.first, block.last, why)
  }
  const line = linesOf(draft[list])[at]
  return line === undefined ? why : t.one(line[0], why)
}

/** The lines that are not empty, each with its number from 1. */
function linesOf(text: string): readonly (readonly [number: number, text: string])[] {
  return text
    .split('\n')
    .map((line, index) => [index + 1, line.trim()] as const)
    .filter(([, line]) => line !== '')
}
