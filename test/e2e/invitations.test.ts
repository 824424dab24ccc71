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
  assert.deepEqual([await open(second.body.data.link), await open(first.body.data.link)], [200, 403])
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
