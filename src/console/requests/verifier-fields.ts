import { checkbox, checkboxes, choicesIn, hidden, select, textArea } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import { requestSchemes } from '../../protocols/openid4vp/request-link.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import type { AskedDraft } from './asked-credential.ts'
import type { RequestDraft } from './draft.ts'
import { requestTexts } from './texts.ts'
import { INFOS_MAX, type InfoDraft, isConfigured } from './verifier-draft.ts'
import { type VerifierTexts, verifierTexts } from './verifier-texts.ts'

const DATA_CHARS_MAX = 16_384
const LINES_CHARS_MAX = 10_000
/** Faults of these open the group. */
const seldom = ['redirect', 'mode', 'scheme', 'signer', 'keyType', 'prefix', 'clientId', 'attestation'] as const

/** Names of schemes are the same in every language. */
const schemes = {
  '': 'openid4vp',
  ...Object.fromEntries(requestSchemes.slice(1).map((one) => [one, one])),
}

/** Returns how long a person has to answer, in words. @param seconds `''`: by default. */
export function timeText(seconds: string, v: VerifierTexts): string {
  return v.times[seconds] ?? v.timeOther(seconds)
}

/** Returns the field for how long the person has to answer. It may be any time. */
export function expiryField(frame: Frame, { verifier }: RequestDraft, { fields }: Problems): Html {
  const v = verifierTexts[frame.language]
  const all = [...new Set([...Object.keys(v.times), verifier.expires])]
  const choices = all
    .toSorted((one, other) => Number(one) - Number(other))
    .map((value) => ({ value, text: timeText(value, v) }))
  return select(frame, { name: 'expires', label: v.expires, value: verifier.expires, choices, error: fields.expires })
}

/** Returns a group that is open where something in it is set or wrong. */
function group(summary: string, isOpen: boolean, content: Html): Html {
  return html`<details${isOpen && html` open`}>
    <summary>${summary}</summary>
    <div class="stack">${content}</div>
  </details>`
}

/** Returns the fields for how requests are signed and answered. */
export function verifierFields(frame: Frame, draft: RequestDraft, { fields }: Problems): Html {
  const v = verifierTexts[frame.language]
  const { verifier } = draft
  const isWrong = seldom.some((name) => fields[name] !== undefined)
  const shared = (name: (typeof seldom)[number]) => ({
    name,
    label: v[name],
    value: verifier[name],
    error: fields[name],
  })
  const one = (name: 'mode' | 'scheme' | 'signer' | 'keyType' | 'prefix', texts: Readonly<Record<string, string>>) =>
    select(frame, { ...shared(name), choices: choicesIn(texts) })
  const optional = { isOptional: true, isName: true } as const
  const redirect = field(frame, { ...shared('redirect'), hint: v.redirectHint, lengthMax: 2000, ...optional })
  const clientId = field(frame, { ...shared('clientId'), hint: v.clientIdHint, lengthMax: 256, ...optional })
  const attestation = textArea(frame, {
    ...shared('attestation'),
    hint: v.attestationHint,
    lengthMax: DATA_CHARS_MAX,
    isOptional: true,
    isCode: true,
  })
  const signer = html`<div class="pair">${one('signer', v.signers)}${one('keyType', v.keyTypes)}</div>`
  const content = html`${redirect}${one('mode', v.modes)}${one('scheme', schemes)}${signer}
${one('prefix', v.prefixes)}${clientId}${attestation}${infoFields(frame, draft, fields)}`
  return group(v.more, isConfigured(verifier) || isWrong, content)
}

function infoFields(frame: Frame, draft: RequestDraft, fields: Problems['fields']): Html {
  const v = verifierTexts[frame.language]
  const { infos } = draft.verifier
  const add = infos.length < INFOS_MAX && html`<div>${button(v.addInfo, { name: 'do', value: 'info' })}</div>`
  return html`<fieldset class="stack">
    <legend>${v.infos}</legend>
    <p class="hint">${v.infosHint}</p>
    ${hidden('infos', String(infos.length))}
    ${infos.map((one, at) => infoOf(frame, draft, one, at, fields))}
    ${add}
  </fieldset>`
}

function infoOf(frame: Frame, draft: RequestDraft, one: InfoDraft, at: number, fields: Problems['fields']): Html {
  const [t, v] = [requestTexts[frame.language], verifierTexts[frame.language]]
  const shared = (name: string) => ({ name: `${name}-${at}`, error: fields[`${name}-${at}`] })
  const format = { label: v.infoFormat, hint: v.infoFormatHint, value: one.format, lengthMax: 64, isName: true }
  const data = { label: v.infoData, hint: v.infoDataHint, value: one.data, lengthMax: DATA_CHARS_MAX, isCode: true }
  const credentials = draft.credentials.map(({ name, type }, place) => {
    return { value: String(place), text: `${t.credential(place + 1)}${frame.t.colon}${name || type}` }
  })
  const of = credentials.length > 1 && checkboxes(`ifor-${at}`, v.infoFor, credentials, one.credentials, shared('ifor'))
  return html`<fieldset class="stack">
    <legend class="hint">${v.info(at + 1)}</legend>
    ${field(frame, { ...shared('iformat'), ...format })}
    ${textArea(frame, { ...shared('idata'), ...data })}
    ${of}
    <div>${button(v.dropInfo, { name: 'do', value: `uninfo-${at}` })}</div>
  </fieldset>`
}

/** Returns the fields for what is seldom said of a credential. */
export function furtherVerifierFields(frame: Frame, one: AskedDraft, at: number, { fields }: Problems): Html {
  const v = verifierTexts[frame.language]
  const error = (name: string) => fields[`${name}-${at}`]
  const isWrong = ['cabout', 'claims', 'authorities'].some((name) => error(name) !== undefined)
  const isSet = !one.isBound || one.isStrict || one.about + one.claimSets + one.authorities !== ''
  const area = (name: 'claims' | 'authorities', value: string) =>
    textArea(frame, {
      name: `${name}-${at}`,
      label: v[name],
      hint: v[`${name}Hint`],
      value,
      error: error(name),
      rows: 2,
      isOptional: true,
      isCode: true,
      lengthMax: LINES_CHARS_MAX,
    })
  const about = { name: `cabout-${at}`, label: v.credentialAbout, value: one.about, isOptional: true, lengthMax: 2000 }
  const tick = (name: 'unbound' | 'strict', isOn: boolean) =>
    checkbox({ name: `${name}-${at}`, label: v[name], hint: v[`${name}Hint`], isOn, error: error(name) })
  const isMdoc = one.format === 'mdoc' || one.isStrict
  const content = html`${field(frame, { ...about, error: error('cabout') })}
  ${area('claims', one.claimSets)}
  ${area('authorities', one.authorities)}
  ${tick('unbound', !one.isBound)}
  ${isMdoc && tick('strict', one.isStrict)}`
  return group(v.ofCredential, isSet || isWrong, content)
}

/** Returns the box for whether wallets learn of the chosen entities. */
export function inQueryField(frame: Frame, one: AskedDraft, at: number, { fields }: Problems): Html {
  const v = verifierTexts[frame.language]
  const name = `inquery-${at}`
  return checkbox({ name, label: v.inQuery, hint: v.inQueryHint, isOn: one.isInQuery, error: fields[name] })
}
