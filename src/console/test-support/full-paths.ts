import type { Api } from '../../../test/support/server.ts'

/**
 * Returns the paths of screens of a tenant with content.
 *
 * @param further Paths that need more than its lists, given the id of its template.
 */
export async function readPaths(
  acme: Api,
  further: (template: string) => Promise<readonly string[]>,
): Promise<string[]> {
  const first = async (path: string, name = 'id') => (await acme.get(path)).body.data[0][name]
  const template = await first('/creds/templates/credentials')
  const issuance = await first('/creds/credentials')
  const request = await first('/creds/templates/presentations')
  const check = await first('/creds/presentations')
  const page = await makePage(acme, request)
  const application = await first('/onboarding/clients', 'clientId')
  return [
    '/console',
    ...[
      '',
      '/new?from=licence',
      `/new?copy=${template}`,
      `/${template}`,
      `/${template}/archive`,
      `/${template}/restore`,
    ].map((path) => `/console/templates${path}`),
    ...['', `/${issuance}`, `/${issuance}/revoke`, '?state=canceled', '/many'].map(
      (path) => `/console/credentials${path}`,
    ),
    ...['/console/search?q=thandi', '/console/search?q=nothing-at-all', '/console/figures', '/console/figures?by=day'],
    ...['/console/verifications', '/console/verifications?status=expired'],
    `/console/credentials/${issuance}/offer`,
    ...['/console/issue', `/console/issue/${template}`],
    ...['', '/new', `/new?template=${template}`, '/new?type=urn:eu:1', `/${request}`].map(
      (path) => `/console/requests${path}`,
    ),
    ...['', `/${check}`].map((path) => `/console/verify${path}`),
    ...['', '/new', `/${page}`, `/${page}/delete`].map((path) => `/console/verification-pages${path}`),
    ...['', '/new', '/thandi', '/thandi/invite', '/thandi/delete'].map((path) => `/console/people${path}`),
    ...['', '/new', `/${application}`, `/${application}/secret`].map((path) => `/console/applications${path}`),
    ...(await further(template)),
    ...['/console/events', '/console/audit', '/console/applications/none', '/session/end'],
  ]
}

/** Makes a verification page with everything that one can have. @returns its id */
async function makePage(acme: Api, presentationTemplateId: string): Promise<string> {
  const made = await acme.post('/creds/verification-pages', {
    ...{ name: `Student discount ${'long'.repeat(20)}`, presentationTemplateId, origins: ['https://shop.example.org'] },
    ...{ heading: 'Show <b>your</b> card', explanation: 'You get a tenth off.', visitorSees: 'receipt' },
  })
  return made.body.data.id
}
