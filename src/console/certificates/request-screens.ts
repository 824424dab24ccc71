import { signingRequests } from '../../contract/trust/signing-requests.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { choicesIn, textArea } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, card } from '../../pages/parts.ts'
import { badge, type Tone } from '../../pages/table.ts'
import { copied } from '../frame/copied.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { when } from '../frame/when.ts'
import { choice, text, tick } from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { resource } from '../resource/resource.ts'
import { certificatesPath as CERTIFICATES, certificatePath as certificateAt, certificatesPlace } from './certificate.ts'
import { certificateChecks } from './checks.ts'
import type { ShownSigningRequest } from './signing-request.ts'
import { signingRequestTexts } from './signing-request-texts.ts'
import { certificateTexts } from './texts.ts'

const LIST = `${CERTIFICATES}/csrs` as const
const PEM_CHARS_MAX = 32_768
const tones: Readonly<Record<ShownSigningRequest['status'], Tone>> = { open: 'warn', completed: 'ok', expired: 'bad' }

const textsOf = ({ language }: Frame) => signingRequestTexts[language]
const stateOf = ({ status }: ShownSigningRequest, frame: Frame) => badge(textsOf(frame).states[status], tones[status])
const madeOf = ({ createdAt }: ShownSigningRequest, frame: Frame) => when(frame, createdAt)
const untilOf = ({ expiresAt }: ShownSigningRequest, frame: Frame) => when(frame, expiresAt)

const requests = resource({
  noun: signingRequests,
  place: certificatesPlace,
  path: LIST,
  texts: signingRequestTexts,
  under: ({ language }) => [[certificateTexts[language].title, CERTIFICATES]],
  called: { one: 'a certificate signing request with its key', many: 'the certificate signing requests' },
  name: {
    label: 'type',
    of: ({ type }, frame) => textsOf(frame).types[type],
    below: ({ keyType, countryName }) => html`<br><span class="hint">${keyType}, ${countryName}</span>`,
  },
  columns: { state: stateOf, made: madeOf, until: untilOf },
  facts: {
    state: stateOf,
    keyType: ({ keyType }) => keyType,
    countryName: ({ countryName }) => countryName,
    identifier: ({ subjectKeyIdentifier }) => html`<code>${subjectKeyIdentifier}</code>`,
    made: madeOf,
    until: untilOf,
    done: ({ certificateId: id }, frame) =>
      id === '' ? null : html`<a href="${certificateAt({ id })}">${textsOf(frame).certificate}</a>`,
  },
  panels: [pemOf, importPanel],
  form: resourceForm(signingRequests, signingRequestTexts, {
    type: choice(leafUses, 'issuerSignCredential'),
    keyType: choice((frame) => choicesIn(textsOf(frame).keyTypes), 'P-256'),
    countryName: text({ isName: true }),
    commonName: text(),
    'capabilities-signMdl': tick({ off: null }),
  }),
})

function at({ id }: { readonly id: string }): string {
  return `${LIST}/${encodeURIComponent(id)}`
}

function leafUses(frame: Frame) {
  const { issuerSignCredential, verifierSignRequest } = textsOf(frame).types
  return choicesIn({ issuerSignCredential, verifierSignRequest })
}

function pemOf({ certificateSigningRequest: pem }: ShownSigningRequest, frame: Frame): Html {
  const shown = html`<div class="inside">${copied(frame, pem, 'pem')}</div>`
  return html`<section class="panel"><header><h2>${textsOf(frame).pem}</h2></header>${shown}</section>`
}

function importPanel(one: ShownSigningRequest, frame: Frame): Html | null {
  return one.status === 'open' && may(frame, 'trust:write')
    ? importForm(frame, one.id, noProblems, textsOf(frame).import)
    : null
}

/** The page of a request has the form; this screen shows it again with what is wrong. */
const imports = formScreen({
  place: certificatesPlace,
  path: `${LIST}/{id}/import`,
  summary: 'Imports the certificate of a signing request.',
  show: (frame) => importScreen(frame, noProblems),
  send: async (frame) => {
    const t = textsOf(frame)
    const certificate = typed(frame.fields, 'certificate')
    if (certificate === '') return importScreen(frame, { fields: { certificate: frame.t.required(t.certificate) } })
    try {
      const sent = { params: frame.params, body: { certificate }, headers: onceHeader(frame.fields) }
      const { data } = await frame.api.call(signingRequests.import, sent)
      return { to: certificateAt(data) }
    } catch (error) {
      const problems = problemsOf(error, () => 'certificate')
      const isChecked = error instanceof ApiRefusal && error.status === 422
      return importScreen(frame, problems, isChecked ? certificateChecks(frame, error) : null)
    }
  },
})

async function importScreen(
  frame: Frame<{ readonly id: string }>,
  problems: Problems,
  checked: Html | null = null,
): Promise<Screen> {
  const t = textsOf(frame)
  const { data: found } = await frame.api.call(signingRequests.get, { params: frame.params })
  const shown = importForm(frame, found.id, problems)
  return {
    title: t.import,
    crumbs: [
      [certificateTexts[frame.language].title, CERTIFICATES],
      [t.title, LIST],
      [t.types[found.type], at(found)],
      [t.import],
    ],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${checked}${shown}</div>`,
    hasErrors: hasProblems(problems),
  }
}

/** @param title What the form is called, where the screen is called otherwise. */
function importForm(frame: Frame, id: string, { fields }: Problems, title?: string): Html {
  const t = textsOf(frame)
  const area = textArea(frame, {
    name: 'certificate',
    label: t.certificate,
    hint: t.certificateHint,
    value: typed(frame.fields, 'certificate'),
    rows: 12,
    isCode: true,
    lengthMax: PEM_CHARS_MAX,
    error: fields.certificate,
  })
  const send = html`<div class="buttons">${button(t.import, { look: 'main' })}</div>`
  const content = html`${onceField(frame.fields)}${card(html`<p>${t.importText}</p>${area}${send}`, title)}`
  return form(frame, `${at({ id })}/import`, content)
}

/** Certificate signing requests. */
export const signingRequestScreens: readonly Endpoint[] = [...requests, ...imports]
