import { certificates } from '../../contract/trust/certificates.ts'
import { signingRequests } from '../../contract/trust/signing-requests.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { choicesIn } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import { copied } from '../frame/copied.ts'
import type { Frame } from '../frame/screen.ts'
import { totalIn } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { choice, text } from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { resource } from '../resource/resource.ts'
import {
  certificateEnd,
  certificatePath,
  certificateState,
  certificatesPath,
  certificatesPlace,
  commonNameIn,
  nameIn,
  type ShownCertificate,
  verbsOf,
} from './certificate.ts'
import { certificateChanges } from './change-screens.ts'
import { signingRequestScreens } from './request-screens.ts'
import { signingRequestTexts } from './signing-request-texts.ts'
import { certificateTexts } from './texts.ts'

const textsOf = ({ language }: Frame) => certificateTexts[language]
const useOf = ({ type }: ShownCertificate, frame: Frame) => textsOf(frame).types[type]
const stateIn = (one: ShownCertificate, frame: Frame) => certificateState(one, textsOf(frame))
const code = (value: string) => html`<code>${value}</code>`

/** Certificates and signing requests. */
export const certificateScreens: readonly Endpoint[] = [
  ...resource({
    noun: certificates,
    place: certificatesPlace,
    path: certificatesPath,
    texts: certificateTexts,
    called: { one: 'a root certificate', many: 'the certificates as a tree: roots, and what they signed' },
    name: { label: 'name', of: ({ subject }) => commonNameIn(subject), below: signerElsewhere },
    parentOf: (one) => one.parentCertificateId,
    columns: {
      use: useOf,
      keyType: ({ keyType }) => keyType,
      state: stateIn,
      ends: (one, frame) => certificateEnd(frame, one),
    },
    above: waitingRequests,
    ways: (frame) => buttonLink(signingRequestTexts[frame.language].title, `${certificatesPath}/csrs`),
    needed: (frame) => ({
      reasons: Object.values(textsOf(frame).reasons),
      ways: buttonLink(signingRequestTexts[frame.language].new, `${certificatesPath}/csrs/new`),
    }),
    facts: {
      state: stateIn,
      use: useOf,
      name: ({ subject }) => foreign(subject, 500),
      issuer: issuerOf,
      validFrom: (one, frame) => when(frame, one.validFrom),
      validUntil: (one, frame) => certificateEnd(frame, one),
      keyType: ({ keyType }) => keyType,
      mdl: mobileLicencesOf,
      origin: ({ origin }, frame) => textsOf(frame).origins[origin],
      serial: ({ serialNumber }) => code(serialNumber),
      fingerprint: ({ fingerprint }) => code(fingerprint),
      identifier: ({ subjectKeyIdentifier }) => code(subjectKeyIdentifier),
    },
    panels: [pemOf],
    form: resourceForm(certificates, certificateTexts, {
      type: choice((frame) => choicesIn(textsOf(frame).rootUses), 'issuerRoot'),
      keyType: choice((frame) => choicesIn(textsOf(frame).keyTypes), 'P-256'),
      countryName: text({ isName: true }),
      issuerAlternativeNameUrl: text({ type: 'url' }),
      commonName: text(),
    }),
    actions: (one, frame) =>
      html`${verbsOf(one).map((verb) => buttonLink(textsOf(frame)[verb], certificatePath(one, verb)))}`,
  }),
  ...certificateChanges,
  ...signingRequestScreens,
]

/** Says of a certificate whose signer is not above it: it is on another page, or belongs to another organisation. */
function signerElsewhere({ origin, issuer }: ShownCertificate, frame: Frame): Html | null {
  if (origin === 'root') return null
  return html`<br><span class="hint">${textsOf(frame).issuer} <bdi>${nameIn(issuer)}</bdi></span>`
}

async function waitingRequests(frame: Frame): Promise<Html | null> {
  const query = { 'page[size]': '1', 'page[total]': 'true', 'filter[status]': 'open' }
  const open = await frame.orMissing(frame.api.call(signingRequests.list, { query }))
  const count = open === null ? 0 : (totalIn(open.meta)?.count ?? 0)
  return count === 0 ? null : html`<p><a href="${certificatesPath}/csrs">${textsOf(frame).openRequests(count)}</a></p>`
}

function issuerOf({ issuer, origin, parentCertificateId: id }: ShownCertificate, frame: Frame): Html | string {
  const signer = html`<bdi>${nameIn(issuer)}</bdi>`
  if (origin === 'root') return textsOf(frame).itself
  return id === '' ? signer : html`<a href="${certificatePath({ id })}">${signer}</a>`
}

function mobileLicencesOf({ type, capabilities }: ShownCertificate, frame: Frame): string | null {
  const t = textsOf(frame)
  if (type !== 'issuerRoot' && type !== 'issuerSignCredential') return null
  return capabilities.signMdl ? t.mdlYes : t.mdlNo
}

function pemOf({ certificate }: ShownCertificate, frame: Frame): Html {
  const pem = copied(frame, certificate, 'pem')
  return html`<details class="panel"><summary>${textsOf(frame).pem}</summary><div class="inside">${pem}</div></details>`
}
