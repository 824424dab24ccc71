import { checkboxes, hidden, textArea } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { textIn } from '../resource/fields.ts'
import type { AskedDraft } from './asked-credential.ts'
import type { RequestDraft } from './draft.ts'
import { askedFields, requestFields } from './fields.ts'
import { requestTexts } from './texts.ts'
import { INFOS_MAX, type InfoDraft } from './verifier-draft.ts'
import { verifierTexts } from './verifier-texts.ts'

const DATA_CHARS_MAX = 16_384
/** Faults of these open the group. */
const seldom = ['redirect', 'mode', 'scheme', 'signer', 'keyType', 'prefix', 'clientId', 'attestation'] as const

/** Returns a group that is open where something in it is set or wrong. */
function group(summary: string, isOpen: boolean, content: Html): Html {
  return html`<details${isOpen && html` open`}>
    <summary>${summary}</summary>
    <div class="stack">${content}</div>
  </details>`
}

/** Returns the fields for how requests are signed and answered. */
export function verifierFields(frame: Frame, draft: RequestDraft, problems: Problems): Html {
  const { more } = verifierTexts[frame.language]
  const { plain, infos } = draft
  const isOpen = seldom.some((name) => problems.fields[name] !== undefined || textIn(plain[name] ?? []) !== '')
  const one = (name: (typeof seldom)[number]) => requestFields.field(frame, plain, problems, name)
  const content = html`${one('redirect')}${one('mode')}${one('scheme')}
<div class="pair">${one('signer')}${one('keyType')}</div>
${one('prefix')}${one('clientId')}${one('attestation')}${infoFields(frame, draft, problems.fields)}`
  return group(more, isOpen || infos.length > 0, content)
}

function infoFields(frame: Frame, draft: RequestDraft, fields: Problems['fields']): Html {
  const v = verifierTexts[frame.language]
  const { infos } = draft
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
export function furtherVerifierFields(
  frame: Frame,
  { plain, format }: AskedDraft,
  at: number,
  problems: Problems,
): Html {
  const isSet = (name: string) => textIn(plain[name] ?? []) !== ''
  const isMdoc = format === 'mdoc' || isSet('strict')
  const shown = ['cabout', 'claims', 'authorities', 'unbound', ...(isMdoc ? ['strict'] : [])]
  const isOpen = shown.some((name) => isSet(name) || problems.fields[`${name}-${at}`] !== undefined)
  const content = html`${shown.map((name) => askedFields.field(frame, plain, problems, name, at))}`
  return group(verifierTexts[frame.language].ofCredential, isOpen, content)
}
