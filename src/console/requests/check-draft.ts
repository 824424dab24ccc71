import { stepsOf } from '../../json-pointer.ts'
import type { Problems } from '../frame/form-values.ts'
import type { ConsoleTexts } from '../frame/texts.ts'
import { type AskedRow, pointerOf } from './asked-attributes.ts'
import { type AskedDraft, askedNames } from './asked-credential.ts'
import { claimSetsIn, combinationPath, linesOfCombinations, setsIn } from './combinations.ts'
import type { RequestDraft } from './draft.ts'
import type { RequestTexts } from './texts.ts'
import { statedInfos, type VerifierDraft, wireNames } from './verifier-draft.ts'
import type { VerifierTexts } from './verifier-texts.ts'

type Texts = { readonly t: RequestTexts; readonly v: VerifierTexts; readonly common: ConsoleTexts }
type Wrong = Readonly<Record<string, string>>

/** What is missing or cannot be, before the API is asked: all of it at once. */
export function checkRequestDraft(draft: RequestDraft, { t, v, common }: Texts): Problems {
  const { name, credentials, which, sets, verifier } = draft
  const isNothingNeeded = credentials.length > 0 && credentials.every(({ isOptional }) => isOptional)
  const fields: Wrong = {
    ...(name === '' && { name: common.required(t.name) }),
    ...Object.assign({}, ...credentials.map((one, at) => credentialProblems(one, at, t, v))),
    ...(which === 'all' && isNothingNeeded && { 'optional-0': t.allOptional }),
    ...(which === 'sets' && setsIn(sets, credentials.length) === null && { sets: v.setsWrong }),
    ...verifierProblems(verifier, v),
  }
  return { fields }
}

function credentialProblems(one: AskedDraft, at: number, t: RequestTexts, v: VerifierTexts): Wrong {
  const by = askedNames(one)
  const asked = one.rows.flatMap((row, place) => (row.isOn ? [[row, place] as const] : []))
  const noneAsked = one.isOwn && one.rows.length > 0 ? `on-${at}-0` : `from-${at}`
  return {
    ...(one.type === '' && { [`type-${at}`]: t.typeMissing }),
    ...(by.entities && one.entities.length === 0 && { [`from-${at}`]: t.entityMissing }),
    ...(by.issuers && one.issuers === '' && { [`issuers-${at}`]: t.issuerMissing }),
    ...(asked.length === 0 && { [noneAsked]: t.chooseOne }),
    ...Object.assign({}, ...asked.map(([row, place]) => rowProblems(row, `${at}-${place}`, t))),
    ...queryProblems(one, at, v),
  }
}

/** What the query of the wallet says besides the attributes. */
function queryProblems(one: AskedDraft, at: number, v: VerifierTexts): Wrong {
  const paths = one.rows.filter(({ isOn }) => isOn).map(({ path }) => JSON.stringify(path))
  const claims = claimSetsIn(one.claimSets)
  const hasUnknown =
    claims?.flat().some((reference) => !paths.includes(JSON.stringify(combinationPath(reference)))) ?? true
  const keys = linesOfCombinations(one.authorities).flatMap((line) => line.split(/\s+/))
  const isTwice = askedNames(one).entities && one.isInQuery && keys.length > 0
  return {
    ...(hasUnknown && { [`claims-${at}`]: v.claimsWrong }),
    ...(keys.some((key) => !/^[\w-]{1,128}$/.test(key)) && { [`authorities-${at}`]: v.authoritiesWrong }),
    ...(isTwice && { [`inquery-${at}`]: v.inQueryWrong }),
  }
}

function rowProblems({ path, condition, value, until }: AskedRow, place: string, t: RequestTexts): Wrong {
  return {
    ...(path.length === 0 && { [`path-${place}`]: t.pathMissing }),
    ...(condition !== 'any' && value === '' && { [`value-${place}`]: t.valueMissing }),
    ...(condition === 'between' && until === '' && { [`until-${place}`]: t.valueMissing }),
  }
}

function verifierProblems(verifier: VerifierDraft, v: VerifierTexts): Wrong {
  const { clientId, attestation, prefix } = verifier
  const isRegistered = prefix === 'pre-registered'
  const isAttested = prefix === 'verifier_attestation'
  const halves = verifier.infos.flatMap(({ format, data }, at) =>
    (format === '') === (data === '') ? [] : [[`${format === '' ? 'iformat' : 'idata'}-${at}`, v.infoMissing] as const],
  )
  return {
    ...signerProblems(verifier, v),
    ...(isRegistered && clientId === '' && { clientId: v.clientIdMissing }),
    ...(!isRegistered && clientId !== '' && { clientId: v.clientIdExtra }),
    ...(clientId !== '' && !/^[!-9;-~]+$/.test(clientId) && { clientId: v.clientIdWrong }),
    ...(isAttested && attestation === '' && { attestation: v.attestationMissing }),
    ...(!isAttested && attestation !== '' && { attestation: v.attestationExtra }),
    ...Object.fromEntries(halves),
  }
}

/** A certificate, a key and the way in which wallets recognise the verifier belong together. */
function signerProblems({ signer, keyType, prefix }: VerifierDraft, v: VerifierTexts): Wrong {
  if (prefix === 'redirect_uri') return signer === '' && keyType === '' ? {} : { prefix: v.prefixUnsigned }
  if (prefix === 'pre-registered' || prefix === 'verifier_attestation')
    return signer === 'certificate' || keyType !== '' ? { prefix: v.prefixOther } : {}
  if (signer !== 'did:web') return {}
  return {
    ...(prefix !== '' && { prefix: v.prefixDid }),
    ...(keyType === 'Ed25519' && { keyType: v.keyDid }),
  }
}

/** Returns the problems with what only the API knows said in words: its own sentences are English. */
export function requestInWords({ fields, general }: Problems, v: VerifierTexts): Problems {
  const said = {
    ...(fields.attestation !== undefined && { attestation: v.attestationWrong }),
    ...(fields.more !== undefined && { signer: v.certifiedOnly }),
  }
  const { more: _, ...others } = fields
  return { fields: { ...others, ...said }, ...(general !== undefined && { general }) }
}

const ofCredential: Readonly<Record<string, string>> = {
  type: 'type',
  format: 'format',
  name: 'cname',
  description: 'cabout',
  optional: 'optional',
  issuers: 'issuers',
  trustedIssuers: 'from',
  trustedIssuersInQuery: 'inquery',
  trustedAuthorities: 'authorities',
  claimSets: 'claims',
}
const plain: Readonly<Record<string, string>> = { name: 'name', description: 'about', retentionSeconds: 'keep' }

/** Returns the field of the form at which a finding of the API belongs; null: it has none. */
export function requestFieldAt(pointer: string, draft: RequestDraft): string | null {
  const [first = '', second = '', third = ''] = stepsOf(pointer)
  if (first === 'verifierConfig') return ofVerifier(pointer, draft)
  if (first !== 'credentials') return plain[first] ?? null
  const one = draft.credentials[Number(second)]
  if (one === undefined) return null
  if (third !== 'attributes') return ofCredential[third] === undefined ? null : `${ofCredential[third]}-${second}`
  const below = pointer.slice(`/credentials/${second}/attributes`.length)
  const at = one.rows.findIndex(
    (row) => row.isOn && (below === pointerOf(row) || below.startsWith(`${pointerOf(row)}/`)),
  )
  if (at < 0) return `from-${second}`
  const member = below.endsWith('/maximum') && one.rows[at]?.condition === 'between' ? 'until' : 'value'
  return `${one.rows[at]?.condition === 'any' ? 'on' : member}-${second}-${at}`
}

/** `more`: a finding about all of it, which only the policy of the organisation has. */
function ofVerifier(pointer: string, { verifier, which }: RequestDraft): string | null {
  const [, member = '', index = '', part = ''] = stepsOf(pointer)
  if (member === '') return 'more'
  if (member === 'purpose') return 'purpose'
  if (member === 'expiresInSeconds') return 'expires'
  if (member === 'credentialSets') return which === 'sets' ? 'sets' : 'which'
  const found = Object.entries(wireNames).find(([, wire]) => wire === member)
  if (found !== undefined) return found[0]
  const stated = statedInfos(verifier)[Number(index)]
  const at = stated === undefined ? -1 : verifier.infos.indexOf(stated)
  return member !== 'verifierInfo' || at < 0 ? null : `${part === 'format' ? 'iformat' : 'idata'}-${at}`
}
