import { certificates } from '../../contract/trust/certificates.ts'
import { signingRequests } from '../../contract/trust/signing-requests.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { select } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card, facts } from '../../pages/parts.ts'
import { pager, table } from '../../pages/table.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf } from '../frame/form-values.ts'
import { type Frame, formScreen, listOf, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { countedPageOf, totalIn, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import {
  at,
  type Certificate,
  endOf,
  LIST,
  nameIn,
  place,
  readCertificate,
  stateOf,
  treeOf,
  verbsOf,
} from './certificate.ts'
import { changeScreens } from './change-screens.ts'
import { requestScreens } from './request-screens.ts'
import { type CertificateTexts, certificateTexts } from './texts.ts'

const list = screen({
  place,
  path: LIST,
  summary: 'Shows the certificates as a tree: roots, and what they signed.',
  download: () => listOf(certificates.list),
  show: async (frame) => {
    const t = certificateTexts[frame.language]
    const [{ data, links, meta }, open] = await Promise.all([
      frame.api.call(certificates.list, { query: countedPageOf(frame.query) }),
      frame.orMissing(
        frame.api.call(signingRequests.list, {
          query: { 'page[size]': '1', 'page[total]': 'true', 'filter[status]': 'open' },
        }),
      ),
    ])
    const canWrite = may(frame, 'trust:write')
    const actions = html`<div class="buttons">${buttonLink(t.requests, `${LIST}/csrs`)}${canWrite && buttonLink(t.make, `${LIST}/new`, 'main')}</div>`
    const requests = open === null ? 0 : (totalIn(open.meta)?.count ?? 0)
    const waiting = requests > 0 && html`<p><a href="${LIST}/csrs">${t.openRequests(requests)}</a></p>`
    const shown =
      data.length === 0
        ? empty(frame, t)
        : html`<p class="lead">${t.lead}</p>${totalLine(frame, meta, t.counted)}${treeTable(frame, t, data)}`
    return {
      title: t.title,
      main: html`${shown}${waiting}${pager(frame.texts, links, frame.here)}`,
      actions,
      isEmpty: data.length === 0,
    }
  },
})

function treeTable(frame: Frame, t: CertificateTexts, all: readonly Certificate[]): Html {
  return table(
    t.title,
    [
      {
        heading: t.name,
        cell: ({ one, isBelow }) =>
          html`<span${isBelow && html` class="below"`}><a href="${at(one)}">${nameIn(one.subject)}</a>${!isBelow && signerElsewhere(t, one)}</span>`,
      },
      { heading: t.use, cell: ({ one }) => t.types[one.type] },
      { heading: t.keyType, cell: ({ one }) => one.keyType },
      { heading: t.state, cell: ({ one }) => stateOf(one, t) },
      { heading: t.ends, cell: ({ one }) => endOf(frame, one) },
    ],
    treeOf(all),
  )
}

/**
 * Below the name of a certificate whose signer is not above it: it is on another page, or belongs to another
 * organisation.
 */
function signerElsewhere(t: CertificateTexts, { origin, issuer }: Certificate): Html | false {
  return origin !== 'root' && html`<br><span class="hint">${t.issuer} <bdi>${nameIn(issuer)}</bdi></span>`
}

function empty(frame: Frame, t: CertificateTexts): Html {
  const ways = html`<div class="buttons">${buttonLink(t.make, `${LIST}/new`)}${buttonLink(t.request, `${LIST}/csrs/new`)}</div>`
  return html`<div class="empty"><p>${t.empty}</p><ul class="list">${t.reasons.map((one) => html`<li>${one}</li>`)}</ul>${may(frame, 'trust:write') && ways}</div>`
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Makes a root certificate.',
  show: (frame) => rootForm(frame, noProblems),
  send: async (frame) => {
    const t = certificateTexts[frame.language]
    const given = (name: string) => typed(frame.fields, name)
    const missing = (['countryName', 'issuerAlternativeNameUrl'] as const).filter((name) => given(name) === '')
    const labels = { countryName: t.country, issuerAlternativeNameUrl: t.url }
    if (missing.length > 0) {
      return rootForm(frame, {
        fields: Object.fromEntries(missing.map((name) => [name, frame.t.required(labels[name])])),
      })
    }
    const body = {
      type: given('type'),
      keyType: given('keyType'),
      countryName: given('countryName'),
      issuerAlternativeNameUrl: given('issuerAlternativeNameUrl'),
      ...(given('commonName') !== '' && { commonName: given('commonName') }),
    }
    try {
      const { data } = await frame.api.call(certificates.create, { body, headers: onceHeader(frame.fields) })
      return { to: at(data) }
    } catch (error) {
      return rootForm(
        frame,
        problemsOf(error, (pointer) => pointer.slice(1) || null),
      )
    }
  },
})

function rootForm(frame: Frame, problems: Problems): Screen {
  const t = certificateTexts[frame.language]
  const given = (name: string, otherwise = '') => typed(frame.fields, name) || otherwise
  const choices = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([value, text]) => ({ value, text }))
  const fields = html`<p>${t.newText}</p>${select(frame, { name: 'type', label: t.rootUse, value: given('type'), choices: choices(t.rootUses) })}${select(frame, { name: 'keyType', label: t.keyType, value: given('keyType'), choices: choices(t.keyTypes) })}${field(frame, { name: 'countryName', label: t.country, hint: t.countryHint, value: given('countryName'), lengthMax: 2, isName: true, error: problems.fields.countryName })}${field(frame, { name: 'issuerAlternativeNameUrl', label: t.url, type: 'url', value: given('issuerAlternativeNameUrl'), lengthMax: 1024, error: problems.fields.issuerAlternativeNameUrl })}${field(frame, { name: 'commonName', label: t.commonName, hint: t.commonNameHint, value: given('commonName'), lengthMax: 64, isOptional: true, error: problems.fields.commonName })}`
  const content = html`${onceField(frame.fields)}${card(fields)}<div class="buttons">${button(t.make, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.newTitle,
    crumbs: [[t.title, LIST], [t.newTitle]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

const one = screen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows a certificate.',
  show: async (frame) => {
    const t = certificateTexts[frame.language]
    const found = await readCertificate(frame)
    const name = nameIn(found.subject)
    const actions = may(frame, 'trust:write')
      ? html`<div class="actions">${verbsOf(found).map((verb) => buttonLink(t[verb], at(found, verb)))}</div>`
      : null
    const { texts } = frame
    const pem = html`<copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret pem">${found.certificate}</code></copy-text>`
    return {
      title: name,
      crumbs: [[t.title, LIST], [name]],
      main: html`<section class="panel">${knownFacts(frame, found)}</section>${actions}<details class="panel"><summary>${t.pem}</summary><div class="inside">${pem}</div></details>`,
      modules: ['copy-text'],
    }
  },
})

function knownFacts(frame: Frame, found: Certificate): Html {
  const t = certificateTexts[frame.language]
  const signer = html`<bdi>${nameIn(found.issuer)}</bdi>`
  const parent = found.parentCertificateId
  const issuer =
    found.origin === 'root' ? t.itself : parent === '' ? signer : html`<a href="${at({ id: parent })}">${signer}</a>`
  const isMdlKind = found.type === 'issuerRoot' || found.type === 'issuerSignCredential'
  return facts([
    [t.state, stateOf(found, t)],
    [t.use, t.types[found.type]],
    [t.name, foreign(found.subject, 500)],
    [t.issuer, issuer],
    [t.validFrom, when(frame, found.validFrom)],
    [t.validUntil, endOf(frame, found)],
    [t.keyType, found.keyType],
    ...(isMdlKind ? [[t.mdl, found.capabilities.signMdl ? t.mdlYes : t.mdlNo] as const] : []),
    [t.origin, t.origins[found.origin]],
    [t.serial, html`<code>${found.serialNumber}</code>`],
    [t.fingerprint, html`<code>${found.fingerprint}</code>`],
    [t.identifier, html`<code>${found.subjectKeyIdentifier}</code>`],
  ])
}

/** Certificates and signing requests. */
export const certificateScreens: readonly Endpoint[] = [...list, ...create, ...one, ...changeScreens, ...requestScreens]
