import type { ReplyOf } from '../../contract/api-operation.ts'
import { certificates } from '../../contract/trust/certificates.ts'
import { shownText } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { badge, type Tone } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import { day } from '../frame/when.ts'
import { type CertificateTexts, certificateTexts } from './texts.ts'

/** Path of the list, and of the operations of the API. */
export const certificatesPath = '/console/certificates'
/** The entry of the menu. */
export const certificatesPlace = 'certificates'

/** A certificate as the API shows it. */
export type ShownCertificate = ReplyOf<typeof certificates.get>

const tones: Readonly<Record<ShownCertificate['status'], Tone>> = {
  pendingActivation: 'warn',
  active: 'ok',
  inactive: 'plain',
  expired: 'bad',
  revoked: 'bad',
}
const SOON_MS = 90 * 86_400_000

/** Returns the path of a certificate, or of what is done with it. */
export function certificatePath({ id }: { readonly id: string }, verb?: string): string {
  return `${certificatesPath}/${encodeURIComponent(id)}${verb === undefined ? '' : `/${verb}`}`
}

/** Reads the certificate that the path names. */
export async function fetchCertificate({ api, params }: Frame<{ readonly id: string }>): Promise<ShownCertificate> {
  return (await api.call(certificates.get, { params: { id: params.id } })).data
}

/** Returns the common name of a distinguished name, or all of it. The requester of the certificate chose it. */
export function commonNameIn(subject: string): string {
  const [, common = subject] = /(?:^|,)CN=((?:\\.|[^,\\+])*)/.exec(subject) ?? []
  return common.replace(/\\(.)/g, '$1')
}

/** As {@link commonNameIn}, harmless to show. */
export function nameIn(subject: string): string {
  return shownText(commonNameIn(subject), 80)
}

/** Returns the state of a certificate in words. */
export function certificateState({ status }: ShownCertificate, t: CertificateTexts): Html {
  return badge(t.states[status], tones[status])
}

/** Returns when a certificate ends, and whether that is soon and the server does not renew it. */
export function certificateEnd(frame: Frame, { expiresAt, origin, status }: ShownCertificate): Html {
  const t = certificateTexts[frame.language]
  const isUsed = status === 'active' || status === 'inactive' || status === 'pendingActivation'
  const isSoon = isUsed && Date.parse(expiresAt) - frame.now.getTime() < SOON_MS
  const isRenewed = origin === 'automatic' && status === 'active'
  const note = isRenewed ? html`<br><span class="hint">${t.renewed}</span>` : isSoon && badge(t.endsSoon, 'warn')
  return html`${day(frame, expiresAt)} ${note}`
}

/** Returns what may be done with a certificate, by its last segment of the path. The server decides again. */
export function verbsOf({
  status,
  origin,
  type,
}: ShownCertificate): readonly ('activate' | 'deactivate' | 'revoke' | 'sign')[] {
  if (status === 'expired' || status === 'revoked') return []
  const isSigner = origin === 'root' || origin === 'request'
  const isRoot = type === 'issuerRoot' || type === 'verifierRoot'
  return [
    ...(isRoot && status !== 'pendingActivation' ? (['sign'] as const) : []),
    ...(isSigner && status === 'active' ? (['deactivate'] as const) : []),
    ...(isSigner && status !== 'active' ? (['activate'] as const) : []),
    'revoke',
  ]
}
