import { certificates } from '../../contract/trust/certificates.ts'
import { signingRequests } from '../../contract/trust/signing-requests.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { select, textArea } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { dayText } from '../frame/when.ts'
import { certificatePath, certificatesPath, certificatesPlace, fetchCertificate, nameIn } from './certificate.ts'
import { certificateTexts } from './texts.ts'

const PEM_CHARS_MAX = 32_768

function confirmChange(verb: 'activate' | 'deactivate' | 'revoke'): readonly Endpoint[] {
  return confirmScreen({
    place: certificatesPlace,
    path: `${certificatesPath}/{id}/${verb}`,
    summary: `Asks whether to ${verb} a certificate, and does it.`,
    ask: async (frame) => {
      const t = certificateTexts[frame.language]
      const found = await fetchCertificate(frame)
      const name = nameIn(found.subject)
      const look = verb === 'revoke' ? 'danger' : 'main'
      return {
        title: t[`${verb}Title`],
        text: `${name}${frame.t.colon}${t[`${verb}Text`]}`,
        button: t[verb],
        look,
        crumbs: [[t.title, certificatesPath], [name, certificatePath(found)], [t[verb]]],
        back: certificatePath(found),
      }
    },
    act: async ({ api, params }) => {
      await api.call(certificates[verb], { params })
      return { to: certificatePath(params) }
    },
  })
}

const sign = formScreen({
  place: certificatesPlace,
  path: `${certificatesPath}/{id}/sign`,
  summary: 'Signs a certificate signing request with a root.',
  show: (frame) => signForm(frame, noProblems),
  send: async (frame) => {
    const t = certificateTexts[frame.language]
    const [csrId, csr] = [typed(frame.fields, 'csrId'), typed(frame.fields, 'csr')]
    if ((csrId === '') === (csr === '')) return signForm(frame, { fields: { csr: t.oneOfBoth } })
    try {
      const sent = { body: csrId === '' ? { csr } : { csrId }, headers: onceHeader(frame.fields) }
      const { data } = await frame.api.call(signingRequests.sign, { params: { id: frame.params.id }, ...sent })
      return { to: certificatePath(data) }
    } catch (error) {
      return signForm(
        frame,
        problemsOf(error, (pointer) => (pointer === '/csrId' ? 'csrId' : 'csr')),
      )
    }
  },
})

async function signForm(frame: Frame<{ readonly id: string }>, problems: Problems): Promise<Screen> {
  const t = certificateTexts[frame.language]
  const filters = { 'filter[status]': 'open', 'page[size]': '100' }
  const [found, open] = await Promise.all([
    fetchCertificate(frame),
    frame.api.call(signingRequests.list, { query: filters }),
  ])
  const wanted = found.type === 'issuerRoot' ? 'issuerSignCredential' : 'verifierSignRequest'
  const own = open.data
    .filter(({ type }) => type === wanted)
    .map(({ id, keyType, countryName, createdAt }) => ({
      value: id,
      text: `${keyType}, ${countryName}, ${dayText(frame, createdAt)}`,
    }))
  const choices = [{ value: '', text: t.noOwn }, ...own]
  const given = (name: string) => typed(frame.fields, name)
  const chosen = given('csrId') || (frame.query.request ?? '')
  const request = textArea(frame, {
    name: 'csr',
    label: t.foreignRequest,
    hint: t.foreignRequestHint,
    value: given('csr'),
    rows: 8,
    isCode: true,
    lengthMax: PEM_CHARS_MAX,
    isOptional: true,
    error: problems.fields.csr,
  })
  const fields = html`<p>${t.signText}</p>
  ${select(frame, { name: 'csrId', label: t.ownRequest, value: chosen, choices, error: problems.fields.csrId })}
  ${request}`
  const content = html`${onceField(frame.fields)}
  ${card(fields)}
  <div class="buttons">${button(t.sign, { look: 'main' })}${buttonLink(frame.t.cancel, certificatePath(found))}</div>`
  return {
    title: t.signTitle,
    crumbs: [[t.title, certificatesPath], [nameIn(found.subject), certificatePath(found)], [t.sign]],
    main: html`<div class="narrow stack">
      ${problemList(frame.texts.problems, problems)}
      ${form(frame, certificatePath(found, 'sign'), content)}
    </div>`,
    hasErrors: hasProblems(problems),
  }
}

/** What is done with a certificate. */
export const certificateChanges: readonly Endpoint[] = [
  ...confirmChange('activate'),
  ...confirmChange('deactivate'),
  ...confirmChange('revoke'),
  ...sign,
]
