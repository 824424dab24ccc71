import type { TenantId } from '../../../caller.ts'
import { hmacSha256 } from '../../../crypto/digest.ts'
import { foldCase } from '../../../directory/users/user.ts'
import type { Sealing } from '../../../keys/sealing.ts'
import type { TenantTx } from '../../../store/store.ts'
import { countMail } from './mail-store.ts'

/**
 * A mail in the language of its reader. The subject holds nothing personal. `{{link}}`, `{{organisation}}` and
 * `{{username}}` are filled in.
 */
export type MailText = { readonly subject: string; readonly text: string; readonly html: string }

/** What the places of a {@link MailText} are filled with. */
type MailValues = { readonly link: string; readonly organisation: string; readonly username: string }

/** The right to send one mail: MACs of the address and of the tenant. */
type MailAllowance = { readonly address: Buffer; readonly tenant: Buffer }

const WINDOW_MS = 3_600_000
const MAILS_TO_ADDRESS_MAX = 5
const MAILS_OF_TENANT_MAX = 500

/** Returns a mail with its places filled in, escaped in the HTML. */
export function fillMail({ subject, text, html }: MailText, values: MailValues): MailText {
  const fill = (template: string, shown: (value: string) => string) =>
    template.replace(/\{\{(link|organisation|username)\}\}/g, (place) =>
      shown(values[place.slice(2, -2) as keyof MailValues]),
    )
  return { subject, text: fill(text, (value) => value), html: fill(html, escaped) }
}

/** Returns what a mail to this address is counted under. Computed before a transaction begins. */
export async function mailAllowance(sealing: Sealing, tenantId: TenantId, address: string): Promise<MailAllowance> {
  const secret = await sealing.derive(tenantId, 'sign-in mails')
  return { address: hmacSha256(secret, 'address\0', foldCase(address)), tenant: hmacSha256(secret, 'tenant') }
}

/**
 * Counts a mail in the transaction that enqueues it: at most 5 to an address and 500 of a tenant in an hour. Returns
 * false beyond.
 */
export async function admitMail(tx: TenantTx, { address, tenant }: MailAllowance, now: Date): Promise<boolean> {
  const window = { now, endsAt: new Date(now.getTime() + WINDOW_MS) }
  if (!(await countMail(tx, address, { ...window, countMax: MAILS_TO_ADDRESS_MAX }))) return false
  return countMail(tx, tenant, { ...window, countMax: MAILS_OF_TENANT_MAX })
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
