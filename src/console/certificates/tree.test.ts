// A page of the list of certificates shows each below its signer, and names the signer where that is on another page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleReader, openConsole } from '../test-support/console-reader.ts'
import { made } from '../test-support/made.ts'

let opened: ConsoleReader
before(async () => {
  opened = await openConsole(['owner'])
})
after(() => opened.chirograph.stop())

const about = { keyType: 'P-256', countryName: 'ZA' }

function makeRoot(commonName: string): Promise<{ readonly id: string }> {
  const root = { ...about, type: 'verifierRoot', commonName, issuerAlternativeNameUrl: 'https://c.example' }
  return made(opened.acme, '/creds/certificates', root)
}

/** Name of each row, with a mark before those that stand below another one. */
async function rowsOf(path: string): Promise<readonly string[]> {
  const shown = await opened.read(path)
  const names = [...shown.matchAll(/<th scope="row">([\s\S]*?)<\/th>/g)]
  return names.map(([, cell = '']) => {
    const text = cell.replaceAll(/<span class="of"[^>]*>[^<]*<\/span>|<[^>]*>/g, '')
    return `${cell.includes('class="below"') ? '- ' : ''}${text}`
  })
}

test('a certificate is below its root, and where the root is on the next page it says who signed it', async () => {
  const { acme } = opened
  const root = await makeRoot('Cape root')
  const { id: csrId } = await made(acme, '/creds/certificates/csrs', { ...about, type: 'verifierSignRequest' })
  const leaf = await made(acme, `/creds/certificates/${root.id}/sign`, { csrId })
  const [first, below] = await rowsOf('/certificates')
  assert.equal(first, 'Cape root')
  assert.match(below ?? '', /^- (?!.*Signed by)/)
  for (let n = 0; n < 24; n += 1) await makeRoot(`Other root ${n}`)
  const { data } = (await acme.get('/creds/certificates')).body
  assert(
    data.some(({ id }: { id: string }) => id === leaf.id) && !data.some(({ id }: { id: string }) => id === root.id),
  )
  const rows = await rowsOf('/certificates')
  assert.equal(rows.length, 25)
  assert.equal(rows.filter((one) => /^(?!- ).*Signed by Cape root$/.test(one)).length, 1)
  assert.equal(rows.filter((one) => one.includes('Signed by')).length, 1)
})
