import { signingRequests } from '../../contract/trust/signing-requests.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { checkbox, select, textArea } from '../../pages/controls.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card, facts } from '../../pages/parts.ts'
import { badge, pager, type Tone, table } from '../../pages/table.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf } from '../frame/form-values.ts'
import { type Frame, formScreen, listOf, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { LIST as CERTIFICATES, at as certificateAt, place } from './certificate.ts'
import { checkList } from './checks.ts'
import type { SigningRequest } from './signing-request.ts'
import { type CertificateTexts, certificateTexts } from './texts.ts'

const LIST = `${CERTIFICATES}/csrs` as const
const PEM_CHARS_MAX = 32_768
const tones: Readonly<Record<SigningRequest['status'], Tone>> = { open: 'warn', completed: 'ok', expired: 'bad' }

const list = screen({
  place,
  path: LIST,
  summary: 'Lists the certificate signing requests.',
  download: () => listOf(signingRequests.list),
  show: async (frame) => {
    const t = certificateTexts[frame.language]
    const { data, links, meta } = await frame.api.call(signingRequests.list, { query: countedPageOf(frame.query) })
    const columns = [
      {
        heading: t.csrUse,
        cell: (one: SigningRequest) =>
          html`<a href="${at(one)}">${t.types[one.type]}</a><br><span class="hint">${one.keyType}, ${one.countryName}</span>`,
      },
      { heading: t.state, cell: (one: SigningRequest) => badge(t.csrStates[one.status], tones[one.status]) },
      { heading: t.sentOnce, cell: (one: SigningRequest) => when(frame, one.createdAt) },
      { heading: t.csrUntil, cell: (one: SigningRequest) => when(frame, one.expiresAt) },
    ]
    const canWrite = may(frame, 'trust:write')
    const none = html`<div class="empty"><p>${t.csrEmpty}</p>${canWrite && html`<div class="buttons">${buttonLink(t.request, `${LIST}/new`)}</div>`}</div>`
    const actions = html`<div class="buttons">${canWrite && buttonLink(t.request, `${LIST}/new`, 'main')}</div>`
    return {
      title: t.requests,
      crumbs: [[t.title, CERTIFICATES], [t.requests]],
      main: html`${totalLine(frame, meta, t.countedRequests)}${data.length === 0 ? none : table(t.requests, columns, data)}${pager(frame.texts, links, frame.here)}`,
      actions,
      isEmpty: data.length === 0,
    }
  },
})

function at({ id }: { readonly id: string }): string {
  return `${LIST}/${encodeURIComponent(id)}`
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Makes a key and a certificate signing request.',
  show: (frame) => requestForm(frame, noProblems),
  send: async (frame) => {
    const t = certificateTexts[frame.language]
    const given = (name: string) => typed(frame.fields, name)
    if (given('countryName') === '') return requestForm(frame, { fields: { countryName: frame.t.required(t.country) } })
    const body = {
      type: given('type'),
      keyType: given('keyType'),
      countryName: given('countryName'),
      ...(given('commonName') !== '' && { commonName: given('commonName') }),
      ...(given('signMdl') === '1' && { capabilities: { signMdl: true } }),
    }
    try {
      const { data } = await frame.api.call(signingRequests.create, { body, headers: onceHeader(frame.fields) })
      return { to: at(data) }
    } catch (error) {
      return requestForm(frame, problemsOf(error, fieldAt))
    }
  },
})

function fieldAt(pointer: string): string | null {
  return pointer === '/capabilities/signMdl' ? 'signMdl' : pointer.slice(1) || null
}

function requestForm(frame: Frame, problems: Problems): Screen {
  const t = certificateTexts[frame.language]
  const given = (name: string) => typed(frame.fields, name)
  const { issuerSignCredential, verifierSignRequest } = t.types
  const choices = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([value, text]) => ({ value, text }))
  const uses = choices({ issuerSignCredential, verifierSignRequest })
  const fields = html`<p>${t.csrText}</p>${select(frame, { name: 'type', label: t.csrUse, value: given('type'), choices: uses })}${select(frame, { name: 'keyType', label: t.keyType, value: given('keyType'), choices: choices(t.keyTypes) })}${field(frame, { name: 'countryName', label: t.country, hint: t.countryHint, value: given('countryName'), lengthMax: 2, isName: true, error: problems.fields.countryName })}${field(frame, { name: 'commonName', label: t.commonName, hint: t.commonNameHint, value: given('commonName'), lengthMax: 64, isOptional: true, error: problems.fields.commonName })}${problems.fields.signMdl !== undefined && html`<p class="error">${problems.fields.signMdl}</p>`}${checkbox({ name: 'signMdl', label: t.csrMdl, isOn: given('signMdl') === '1' })}`
  const content = html`${onceField(frame.fields)}${card(fields)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.csrTitle,
    crumbs: [[t.title, CERTIFICATES], [t.requests, LIST], [t.csrTitle]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

type Params = { readonly id: string }

const one = formScreen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows a certificate signing request, and imports its certificate.',
  show: (frame) => requestPage(frame, noProblems, null),
  send: async (frame) => {
    const t = certificateTexts[frame.language]
    const certificate = typed(frame.fields, 'certificate')
    if (certificate === '')
      return requestPage(frame, { fields: { certificate: frame.t.required(t.certificate) } }, null)
    try {
      const sent = { body: { certificate }, headers: onceHeader(frame.fields) }
      const { data } = await frame.api.call(signingRequests.import, { params: { id: frame.params.id }, ...sent })
      return { to: certificateAt(data) }
    } catch (error) {
      const problems = problemsOf(error, () => 'certificate')
      return requestPage(
        frame,
        problems,
        error instanceof ApiRefusal && error.status === 422 ? checkList(frame, error) : null,
      )
    }
  },
})

async function requestPage(frame: Frame<Params>, problems: Problems, checked: Html | null): Promise<Screen> {
  const { texts, params } = frame
  const t = certificateTexts[frame.language]
  const { data: found } = await frame.api.call(signingRequests.get, { params: { id: params.id } })
  const title = `${t.types[found.type]} (${found.keyType})`
  const done = found.certificateId
  const known = facts([
    [t.state, badge(t.csrStates[found.status], tones[found.status])],
    [t.country, found.countryName],
    [t.identifier, html`<code>${found.subjectKeyIdentifier}</code>`],
    [t.sentOnce, when(frame, found.createdAt)],
    [t.csrUntil, when(frame, found.expiresAt)],
    ...(done === '' ? [] : [[t.csrDone, html`<a href="${certificateAt({ id: done })}">${t.certificate}</a>`] as const]),
  ])
  const pem = html`<section class="panel"><header><h2>${t.csrPem}</h2></header><div class="inside"><copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret pem">${found.certificateSigningRequest}</code></copy-text></div></section>`
  const canImport = found.status === 'open' && may(frame, 'trust:write')
  return {
    title,
    crumbs: [[t.title, CERTIFICATES], [t.requests, LIST], [title]],
    main: html`${problemList(texts.problems, problems)}${checked}<div class="columns"><section class="panel">${known}</section>${canImport && importForm(frame, found, problems, t)}</div>${pem}`,
    modules: ['copy-text'],
    hasErrors: hasProblems(problems),
  }
}

function importForm(frame: Frame, found: SigningRequest, problems: Problems, t: CertificateTexts): Html {
  const { certificate } = problems.fields
  const area = textArea(frame, {
    name: 'certificate',
    label: t.certificate,
    hint: t.certificateHint,
    value: typed(frame.fields, 'certificate'),
    rows: 12,
    isCode: true,
    lengthMax: PEM_CHARS_MAX,
    error: certificate,
  })
  const content = html`${onceField(frame.fields)}${card(html`<p>${t.importText}</p>${area}<div class="buttons">${button(t.import, { look: 'main' })}</div>`, t.import)}`
  return form(frame, at(found), content)
}

/** Certificate signing requests. */
export const requestScreens: readonly Endpoint[] = [...list, ...create, ...one]
