import type { Page } from 'playwright-core'

/** Goes from a checked table to the choice who gets its cards, and takes the proposed one or another. */
export async function chooseWho(page: Page, way?: string): Promise<void> {
  await page.getByRole('button', { name: 'Next: who gets it' }).click()
  if (way !== undefined) await page.getByRole('radio', { name: way }).check()
  await page.getByRole('button', { name: 'Check who is reached' }).click()
  await page.waitForURL(/\/console\/issue\/table\/[0-9a-f-]{36}$/)
}
