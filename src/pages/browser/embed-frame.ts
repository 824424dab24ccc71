type Policy = { readonly createHTML: (text: string) => string }
declare const trustedTypes:
  | { readonly createPolicy: (name: string, rules: { readonly createHTML: (text: string) => string }) => Policy }
  | undefined

/** Only our own server answers, and everything in its pages is escaped. */
const policy =
  typeof trustedTypes === 'undefined' ? null : trustedTypes.createPolicy('fragment', { createHTML: (text) => text })
const PAUSE_MS = 500
const FAILURES_MAX = 20

/**
 * A verification page in the frame of a site. A button with `data-begin` inside begins a request: posts to the address
 * in `src`, shows the answer, and follows the state at the address in `state` with the secret that it got, which no
 * other page and no cookie holds. Tells the page of the site, at the origin in `site` alone, how high the content is
 * and which state the request has.
 */
class VerifyFrame extends HTMLElement {
  private running = new AbortController()

  connectedCallback(): void {
    this.addEventListener('click', (event) => {
      const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('[data-begin]') : null
      if (button === null) return
      button.disabled = true
      void this.begin()
    })
    new ResizeObserver(() => this.tell('size', { height: document.body.scrollHeight })).observe(document.body)
    this.tell('ready', {})
  }

  disconnectedCallback(): void {
    this.running.abort()
  }

  private async begin(): Promise<void> {
    this.running.abort()
    this.running = new AbortController()
    const { signal } = this.running
    const answer = await fetch(this.getAttribute('src') ?? '', { method: 'POST', signal }).catch(() => null)
    if (answer === null) {
      for (const one of this.querySelectorAll<HTMLButtonElement>('[data-begin]')) one.disabled = false
      return
    }
    this.show(await answer.text())
    const [request, secret] = ['x-request', 'x-secret'].map((name) => answer.headers.get(name) ?? '')
    if (answer.ok && request && secret)
      await this.follow({ 'x-request': request, authorization: `Bearer ${secret}` }, signal)
  }

  private async follow(visit: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    this.tell('state', { status: 'requested' })
    let state = ''
    for (let failures = 0; !signal.aborted && failures < FAILURES_MAX; ) {
      const askedAt = performance.now()
      const sent = { headers: { ...visit, 'x-state': state }, signal, cache: 'no-store' } as const
      const answer = await fetch(this.getAttribute('state') ?? '', sent).catch(() => null)
      if (answer?.status === 200) {
        this.show(await answer.text())
        return this.tell('state', JSON.parse(answer.headers.get('x-outcome') ?? '{}'))
      }
      failures = answer?.ok ? 0 : failures + 1
      const known = state
      if (answer?.status === 204) state = answer.headers.get('x-state') ?? ''
      // The server holds a request whose state it knows, unless too many wait.
      const restMs = PAUSE_MS * (failures + 1) - (performance.now() - askedAt)
      if (state === known && restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
    }
  }

  private show(text: string): void {
    this.innerHTML = policy === null ? text : policy.createHTML(text)
    this.querySelector<HTMLElement>('[data-focus]')?.focus({ preventScroll: true })
  }

  private tell(type: 'ready' | 'size' | 'state', detail: object): void {
    const site = this.getAttribute('site') ?? ''
    if (window.parent !== window && site !== '') window.parent.postMessage({ ...detail, type }, site)
  }
}

customElements.define('verify-frame', VerifyFrame)
