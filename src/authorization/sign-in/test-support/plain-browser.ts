/** What a page answered: the last response, with its HTML. */
export type Shown = {
  readonly status: number
  readonly url: string
  readonly html: string
  readonly title: string
  readonly headers: Headers
}

/**
 * A browser without scripts: it keeps cookies, follows redirects and refreshes, and sends the forms that a page holds.
 */
export class PlainBrowser {
  readonly cookies = new Map<string, string>()
  shown: Shown | null = null
  private readonly origin: string
  private readonly headers: Readonly<Record<string, string>>

  constructor(origin: string, headers: Readonly<Record<string, string>> = {}) {
    this.origin = origin
    this.headers = headers
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  open(path: string): Promise<Shown> {
    return this.request('GET', path)
  }

  /** Sends the form of the page that posts to this path. */
  send(path: string, members: Readonly<Record<string, string>> = {}): Promise<Shown> {
    const { action, hidden } = this.form(path)
    return this.request('POST', action, new URLSearchParams({ ...hidden, ...members }).toString())
  }

  /** The action and the hidden members of the form of the page that posts to this path. */
  form(path: string): { readonly action: string; readonly hidden: Record<string, string> } {
    const forms = [
      ...(this.shown?.html ?? '').matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g),
    ]
    const found = forms.find(([, action = '']) => decoded(action).split('?')[0] === path)
    if (found === undefined) throw new Error(`no form to ${path} at ${this.shown?.url}: ${this.shown?.title}`)
    const inputs = [...(found[2] ?? '').matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const hidden = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, decoded(value)]))
    return { action: decoded(found[1] ?? ''), hidden }
  }

  async request(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Shown> {
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    const response = await fetch(new URL(path, this.origin), {
      method,
      redirect: 'manual',
      headers: { cookie: this.cookieHeader, ...(body !== undefined && form), ...this.headers, ...headers },
      ...(body !== undefined && { body }),
    })
    for (const one of response.headers.getSetCookie()) this.keep(one)
    const html = await response.text()
    const next = response.headers.get('location') ?? response.headers.get('refresh')?.replace(/^0;url=/, '') ?? null
    const title = decoded(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '')
    this.shown = { status: response.status, url: next ?? path, html, title, headers: response.headers }
    // The authorization endpoint is not part of these tests.
    return next === null || !next.startsWith('/') || next.startsWith('/auth/') ? this.shown : this.open(next)
  }

  private keep(setCookie: string): void {
    const [pair = ''] = setCookie.split(';', 1)
    const at = pair.indexOf('=')
    if (/; Max-Age=0(;|$)/.test(setCookie)) this.cookies.delete(pair.slice(0, at))
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

function decoded(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
}
