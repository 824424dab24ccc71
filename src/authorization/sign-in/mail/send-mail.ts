import { Type } from 'typebox'
import type { TenantId } from '../../../caller.ts'
import { readOwnJson } from '../../../crypto/json.ts'
import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { job } from '../../../jobs/job.ts'
import type { Sealing } from '../../../keys/sealing.ts'
import { type Mail, sendMail } from '../../../mail/send-mail.ts'

/** A mail in the queue: sealed, since it holds an address and a link. */
type SealedMail = { readonly sealed: string }

/**
 * Sends a mail. It may be sent twice, if the process ends between the answer of the mail server and the end of the job.
 */
export const sendMailJob = job({
  name: 'authorization.send-mail',
  payload: Type.Object({ sealed: Type.String() }, { additionalProperties: false }),
  attemptsMax: 10,
  timeoutSeconds: 90,
  run: async (platform, { sealed }, _signal, { tenantId }) => {
    const opened = await platform.sealing.open(placeOf(tenantId), Buffer.from(sealed, 'base64url'))
    const tenant = await findTenantOf(platform, tenantId)
    // The seal proves that sealMail wrote it.
    await sendMail(platform, readOwnJson(opened) as Mail, tenant?.settings ?? {})
  },
})

/** Seals a mail for {@link sendMailJob}. Before the transaction that enqueues it. */
export async function sealMail(sealing: Sealing, tenantId: TenantId, mail: Mail): Promise<SealedMail> {
  return { sealed: (await sealing.seal(placeOf(tenantId), JSON.stringify(mail))).toString('base64url') }
}

function placeOf(tenantId: TenantId) {
  return { tenantId, table: 'job', column: 'mail', row: '' }
}
