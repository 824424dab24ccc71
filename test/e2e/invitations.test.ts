import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, api, type Deployment, deploy } from '../support/server.ts'

let chirograph: Deployment
let school: Api
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
})
after(() => chirograph.stop())

const form = { accept: 'text/html' }

test('an invitation is a link that is told once and opens the page that sets a password; a newer one ends it', async () => {
  await school.post('/onboarding/users', { username: 'newcomer', firstName: 'New' })
  const invite = () => school.post('/onboarding/users/newcomer/invitation', { language: 'fr' })
  const [first, second] = [await invite(), await invite()]
  assert.deepEqual([first.status, first.body.data.mailed], [201, false], JSON.stringify(first.body))
  const open = async (link: string) => (await fetch(link, { headers: form })).status
  assert.equal(new URL(first.body.data.link).origin, chirograph.url)
  assert.deepEqual([await open(second.body.data.link), await open(first.body.data.link)], [200, 410])
})

test('no caller gets a link for a user who can sign in already', async () => {
  await school.post('/onboarding/users', { username: 'settled' })
  const invite = () => school.post('/onboarding/users/settled/invitation', {})
  const { link } = (await invite()).body.data
  const page = await fetch(link, { headers: form })
  const cookie = page.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const text = await page.text()
  const fields = [...text.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
    /name="([^"]*)"/.exec(tag)?.[1] ?? '',
    /value="([^"]*)"/.exec(tag)?.[1] ?? '',
  ])
  const names = [...text.matchAll(/<input[^>]*type="password"[^>]*>/g)].map(
    ([tag]) => /name="([^"]*)"/.exec(tag)?.[1] ?? '',
  )
  const password = names.map((name) => [name, 'a lighthouse made of bread'])
  const action = new URL(/<form[^>]*action="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '', link)
  const headers = { ...form, cookie, origin: chirograph.url, 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams([...fields, ...password])
  const set = await fetch(action, { method: 'POST', headers, body, redirect: 'manual' })
  assert.ok(set.status < 400, `${set.status} ${await set.text()}`)
  assert.equal((await invite()).status, 409)
})

test('who manages users invites nobody who has more rights, and no one who is disabled or unknown', async () => {
  await school.post('/onboarding/users', { username: 'boss', roles: ['owner'] })
  await school.post('/onboarding/users', { username: 'gone', enabled: false })
  const made = await school.post('/onboarding/clients', { name: 'Users', roles: ['user-admin'] })
  const { clientId, clientSecret } = made.body.data
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const { body } = await chirograph.nobody.form('/auth/token', grant)
  const clerk = api(chirograph.url, body.access_token)
  const invite = async (username: string) => (await clerk.post(`/onboarding/users/${username}/invitation`, {})).status
  assert.deepEqual([await invite('boss'), await invite('gone'), await invite('none')], [403, 409, 404])
  assert.equal((await school.post('/onboarding/users/boss/invitation', {})).status, 201)
})
