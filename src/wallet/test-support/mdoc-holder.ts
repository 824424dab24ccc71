import type { Caller, TenantId, UserId } from '../../caller.ts'
import { forgetTenants } from '../../directory/tenants/find-tenant.ts'
import { sql } from '../../store/store.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { foreignRoot } from './foreign-mdoc.ts'
import type { Bench } from './wallet-platform.ts'

const setSettings = sql(
  'test.wallet.mdoc_settings',
  'update tenant set settings = $2::jsonb where id = $1 returning id',
)

/** Gives a tenant other settings. */
export async function setTenant(bench: Bench, tenantId: TenantId, settings: object): Promise<void> {
  await bench.platform.store.across('test set-up', (tx) => tx.rows(setSettings, [tenantId, JSON.stringify(settings)]))
  forgetTenants(bench.platform)
}

/** A person whose organisation opened mdocs, and who may trust the foreign signer of mdocs. */
export async function anMdocHolder(
  bench: Bench,
  { trusting = true, settings = {} } = {},
): Promise<Caller & { readonly userId: UserId }> {
  const person = await bench.person()
  await setTenant(bench, person.tenantId, { walletFormats: ['vc+sd-jwt', 'mso_mdoc'], ...settings })
  if (trusting) await createTrustedEntity(bench.platform, person, { name: 'Road office', certificates: [foreignRoot] })
  return person
}
