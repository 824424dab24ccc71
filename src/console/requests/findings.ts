import { stepsOf } from '../../json-pointer.ts'
import type { Place, Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { linesIn, textIn } from '../resource/fields.ts'
import { type AskedRow, pointerOf } from './asked-attributes.ts'
import { type AskedDraft, askedNames } from './asked-credential.ts'
import { claimSetsIn, setsIn } from './combinations.ts'
import type { RequestDraft } from './draft.ts'
import { askedFields, requestFields } from './fields.ts'
import { type RequestTexts, requestTexts } from './texts.ts'
import { statedInfos } from './verifier-draft.ts'
import { type VerifierTexts, verifierTexts } from './verifier-texts.ts'

type Wrong = Readonly<Record<string, string>>

/** What only the form knows: what is chosen and not typed, and what could not be read. */
export function requestFaults({ language }: Frame, { credentials, which, sets }: RequestDraft): Problems {
  const [t, v] = [requestTexts[language], verifierTexts[language]]
  return {
    fields: {
      ...Object.assign({}, ...credentials.map((one, at) => credentialFaults(one, at, t, v))),
      ...(which === 'sets' && setsIn(sets) === null && { sets: v.setsWrong }),
    },
  }
}

function credentialFaults(one: AskedDraft, at: number, t: RequestTexts, v: VerifierTexts): Wrong {
  const by = askedNames(one)
  const asked = one.rows.flatMap((row, place) => (row.isOn ? [[row, place] as const] : []))
  const noneAsked = one.isOwn && one.rows.length > 0 ? `on-${at}-0` : `from-${at}`
  return {
    ...(by.entities && one.entities.length === 0 && { [`from-${at}`]: t.entityMissing }),
    ...(by.issuers && one.issuers === '' && { [`issuers-${at}`]: t.issuerMissing }),
    ...(asked.length === 0 && { [noneAsked]: t.chooseOne }),
    ...Object.assign({}, ...asked.map(([row, place]) => rowFaults(row, `${at}-${place}`, t))),
    ...(claimSetsIn(textIn(one.plain.claims ?? [])) === null && { [`claims-${at}`]: v.claimsWrong }),
  }
}

function rowFaults({ path, condition, value, until }: AskedRow, place: string, t: RequestTexts): Wrong {
  return {
    ...(path.length === 0 && { [`path-${place}`]: t.pathMissing }),
    ...(condition !== 'any' && value === '' && { [`value-${place}`]: t.valueMissing }),
    ...(condition === 'between' && until === '' && { [`until-${place}`]: t.valueMissing }),
  }
}

/** Fields of a credential that are no member alone. */
const ofCredential: Wrong = { type: 'type', format: 'format', name: 'cname', trustedIssuers: 'from' }

/** Returns where a finding of the API about the body of a draft is shown; null: it is about all of it. */
export function requestPlaceOf(frame: Frame, pointer: string, draft: RequestDraft): Place | null {
  const [first = '', second = '', third = '', fourth = ''] = stepsOf(pointer)
  const lineOf = (name: string, text: string, index: string): Place => {
    const [number] = linesIn(text)[Number(index || NaN)] ?? []
    return { name, label: labelOf(frame, name), say: (why) => (number === undefined ? why : frame.t.line(number, why)) }
  }
  const at = (name: string | undefined) => (name === undefined ? null : { name, label: labelOf(frame, name) })
  if (second === 'credentialSets') return draft.which === 'sets' ? lineOf('sets', draft.sets, third) : at('which')
  if (second === 'verifierInfo') return at(infoAt(draft, third, fourth))
  // Only the policy of the organisation has a finding about all of it: about how it is signed.
  if (pointer === '/verifierConfig') return at('signer')
  if (first !== 'credentials') return requestFields.placeOf(frame, draft.plain, pointer)
  // None of them is needed.
  if (second === '') return at('optional-0')
  const one = draft.credentials[Number(second)]
  if (one === undefined) return null
  if (third === 'attributes') return at(attributeAt(pointer, second, one))
  if (third === 'issuers') return lineOf(`issuers-${second}`, one.issuers, fourth)
  if (ofCredential[third] !== undefined) return at(`${ofCredential[third]}-${second}`)
  const found = askedFields.placeOf(frame, one.plain, pointer.slice(`/credentials/${second}`.length))
  return found && { ...found, name: `${found.name}-${second}` }
}

/** What a field is called that can be missing. */
function labelOf({ language }: Frame, name: string): string | undefined {
  const [t, v] = [requestTexts[language], verifierTexts[language]]
  const known = { type: t.typeAddress, iformat: v.infoFormat, idata: v.infoData }
  return new Map(Object.entries(known)).get(name.split('-', 1)[0] ?? '')
}

/** The attribute that a finding is about, or the first in what it is about. */
function attributeAt(pointer: string, place: string, { rows, isOwn, format }: AskedDraft): string {
  const below = pointer.slice(`/credentials/${place}/attributes`.length)
  const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`)
  const asked = rows.map((row) => (row.isOn ? pointerOf(row) : null))
  const of = (fits: (one: string) => boolean) => asked.findIndex((one) => one !== null && fits(one))
  const at = Math.max(
    of((one) => isWithin(below, one)),
    of((one) => isWithin(one, below)),
  )
  const row = rows[at]
  if (row === undefined) return `from-${place}`
  const isTyped = row.label === '' && !isOwn
  const isOddOfMdoc = format === 'mdoc' && below === asked[at] && !['any', 'oneOf'].includes(row.condition)
  const ofPath = isOddOfMdoc ? 'cond' : isTyped ? 'path' : 'on'
  const [member] = stepsOf(below.slice((asked[at] ?? '').length))
  const valueName = member === 'maximum' && row.condition === 'between' ? 'until' : 'value'
  const isOfValue = member !== undefined && row.condition !== 'any'
  return `${isOfValue ? valueName : member === 'intentToRetain' ? 'retain' : ofPath}-${place}-${at}`
}

function infoAt({ infos }: RequestDraft, index: string, member: string): string | undefined {
  const stated = statedInfos(infos)[Number(index)]
  const names: Wrong = { format: 'iformat', credentials: 'ifor' }
  return stated === undefined ? undefined : `${names[member] ?? 'idata'}-${infos.indexOf(stated)}`
}
