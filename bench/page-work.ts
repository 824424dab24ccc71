import type { Browser } from 'playwright-core'
import { chooseWho } from '../src/console/test-support/choose-who.ts'
import { rank, report } from './page-figures.ts'
import { openPage } from './page-phone.ts'
import type { World } from './page-world.ts'

const CHECKS = 20
const ROWS = 1000

/** From the answer of the wallet to the verdict at the desk. */
export async function benchDesk(browser: Browser, { url, owner, holder, content }: World): Promise<void> {
  const page = await openPage(browser, url, owner)
  const [acme, wallet] = [await owner.api(), await holder.api()]
  const times: number[] = []
  for (let turn = 0; turn < CHECKS; turn += 1) {
    const asked = await acme.post('/creds/presentations/request', { presentationTemplateId: content.request })
    const { id, authorizationRequestUri: presentationRequest } = asked.body.data
    await page.goto(`/console/verify/${id}`)
    const prepared = await wallet.post('/wallet/v2/presentations', { presentationRequest })
    // Whatever the verdict is: the wallet chooses among cards in every state.
    const shown = page
      .getByText('Waiting for the wallet')
      .waitFor({ state: 'hidden' })
      .then(() => performance.now())
    const { status, body } = await wallet.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, {
      status: 'answered',
    })
    const answered = performance.now()
    if (status !== 200) throw new Error(JSON.stringify(body))
    times.push(Math.max(0, (await shown) - answered))
  }
  await page.context().close()
  report(`the wallet answered, the desk shows it: p95 of ${CHECKS}`, rank(times, 0.95), 500, 'ms')
}

/** A table of 1,000 rows, from the press of the button to the page. */
export async function benchTable(browser: Browser, { url, owner, content }: World): Promise<void> {
  const page = await openPage(browser, url, owner)
  const rows = Array.from({ length: ROWS }, (_, n) => `Müller ${n};Jürgen;BSc;31.01.2026;${60 + (n % 40)},5`)
  const buffer = Buffer.from(['Family name;Given name;Degree;Awarded on;Grade', ...rows].join('\n'), 'latin1')
  const [checks, issues]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < 3; turn += 1) {
    await page.goto(`/console/issue/table?template=${content.template}`)
    await page.getByLabel('File').setInputFiles({ name: 'graduates.csv', mimeType: 'text/csv', buffer })
    const sent = performance.now()
    await page.getByRole('button', { name: 'Check the table' }).click()
    await page.getByText('All 1,000 rows are ready').waitFor()
    checks.push((performance.now() - sent) / 1000)
    await chooseWho(page)
    const from = performance.now()
    await page.getByRole('button', { name: 'Issue 1,000 credentials' }).click()
    await page.getByText('Finished').waitFor()
    issues.push((performance.now() - from) / 1000)
  }
  await page.context().close()
  report('1,000 rows read, checked and shown', rank(checks, 0.5), 1, 's')
  report('1,000 rows issued and shown', rank(issues, 0.5), 3, 's')
}
