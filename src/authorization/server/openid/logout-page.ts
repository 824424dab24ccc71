import type { EndpointResponse } from '../../../http/routes/endpoint.ts'
import { escapeHtml } from '../../../http/routes/page.ts'

/**
 * Renders the question whether to sign out.
 *
 * @param fields What the form sends back.
 * @param target Where the browser is redirected afterwards; the policy of forms must allow it.
 */
export function confirmationPage(fields: Readonly<Record<string, string>>, target: string | null): EndpointResponse {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const form = `<form method="post" action="/auth/logout">${inputs.join('')}<button type="submit">Sign out</button></form>`
  return pageOf('Sign out?', form, sourceOf(target))
}

/** Renders the page after a sign-out that leads to no client. */
export function signedOutPage(): EndpointResponse {
  return pageOf('You are signed out', '<p>You can close this page.</p>', '')
}

function pageOf(title: string, content: string, formTarget: string): EndpointResponse {
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title></head>
<body><main><h1>${title}</h1>${content}</main></body></html>
`
  const policy = `default-src 'none'; base-uri 'none'; form-action 'self'${formTarget}; frame-ancestors 'none'`
  const headers = { 'content-security-policy': policy, 'cache-control': 'no-store' }
  return { status: 200, type: 'text/html; charset=utf-8', body, headers }
}

/** A redirect after a form is allowed only to a source that the policy names. */
function sourceOf(target: string | null): string {
  if (target === null || !URL.canParse(target)) return ''
  const { origin, protocol } = new URL(target)
  return ` ${origin === 'null' ? protocol : origin}`
}
