import type { Browser, Page } from 'playwright-core'
import type { Api, Deployment } from '../../../test/support/server.ts'

const PASSWORD = 'a lighthouse made of bread'

/** What a browser keeps of a signed-in person. */
export type SignedIn = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>

/** Makes a person of a tenant with these roles, and signs the person in by an invitation. */
export async function signInAs(
  browser: Browser,
  { url }: Pick<Deployment, 'url'>,
  backend: Api,
  username: string,
  roles: readonly string[],
): Promise<SignedIn> {
  await backend.post('/onboarding/users', { username, firstName: 'Naledi', lastName: 'Khumalo', roles })
  const invited = await backend.post(`/onboarding/users/${username}/invitation`, {})
  const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(invited.body.data.link)
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('New password again').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.waitForURL('/account')
  const home = roles.length === 0 ? '/me' : '/console'
  await page.goto(home)
  await page.waitForURL(home)
  const kept = await context.storageState()
  await context.close()
  return kept
}
