type Policy = { readonly createHTML: (text: string) => string }
declare const trustedTypes:
  | { readonly createPolicy: (name: string, rules: { readonly createHTML: (text: string) => string }) => Policy }
  | undefined

/** Only our own server answers, and everything in its pages is escaped. */
const policy =
  typeof trustedTypes === 'undefined' ? null : trustedTypes.createPolicy('fragment', { createHTML: (text) => text })

function trusted(text: string): string {
  return policy === null ? text : policy.createHTML(text)
}

/**
 * Redraws a part of the page while the form inside is filled in: posts it with the member that `submit` names
 * (`name=value`) and puts the answer into the element whose id `target` names. That element has no fields, so that
 * nothing that is being typed is exchanged. Without script the button with this member does the same by a new page. A
 * fold whose first content is a field named `open-…` writes into it whether it is open.
 */
class FragmentForm extends HTMLElement {
  private running: AbortController | null = null
  private timer = 0

  connectedCallback(): void {
    this.addEventListener('input', () => {
      clearTimeout(this.timer)
      this.timer = setTimeout(() => void this.redraw(), 200)
    })
    // The event does not bubble.
    this.addEventListener('toggle', ({ target }) => writeOpen(target), true)
  }

  private async redraw(): Promise<void> {
    const form = this.querySelector('form')
    const target = document.getElementById(this.getAttribute('target') ?? '')
    if (form === null || target === null) return
    this.running?.abort()
    this.running = new AbortController()
    const { signal } = this.running
    const [name = '', value = ''] = (this.getAttribute('submit') ?? '').split('=')
    const body = new URLSearchParams()
    for (const [member, text] of new FormData(form)) if (typeof text === 'string') body.append(member, text)
    body.append(name, value)
    const answer = await fetch(form.action, { method: 'POST', body, signal }).catch(() => null)
    if (!answer?.ok || answer.redirected) return
    // The next change may end it while its body is read.
    const text = await answer.text().catch(() => null)
    if (text === null) return
    target.innerHTML = trusted(text)
    for (const one of target.querySelectorAll<HTMLElement>('[data-back]')) {
      one.style.setProperty('--card', one.dataset.back ?? '')
      one.style.setProperty('--card-ink', one.dataset.ink ?? '')
    }
  }
}

function writeOpen(fold: EventTarget | null): void {
  if (!(fold instanceof HTMLDetailsElement)) return
  const field = fold.querySelector<HTMLInputElement>(':scope > input[name^="open-"]')
  if (field !== null) field.value = fold.open ? '1' : ''
}

customElements.define('fragment-form', FragmentForm)

/**
 * Shows a state of the server as it changes. Fetches the address in `src`, which answers when the state is another than
 * the one in `state`, and exchanges the content; `x-state` of the answer is the new state, an empty one is final. Where
 * the answer may come at once, `pause` is the least time in milliseconds between two requests. Without script the page
 * has a link, or reloads itself.
 */
class LiveRegion extends HTMLElement {
  private stopping = new AbortController()

  connectedCallback(): void {
    this.stopping = new AbortController()
    void this.follow(this.stopping.signal)
  }

  disconnectedCallback(): void {
    this.stopping.abort()
  }

  private async follow(signal: AbortSignal): Promise<void> {
    let state = this.getAttribute('state') ?? ''
    const pauseMs = Number(this.getAttribute('pause') ?? 0)
    let askedAt = performance.now()
    for (let failures = 0; !signal.aborted && state !== '' && failures < 20; ) {
      const restMs = pauseMs - (performance.now() - askedAt)
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
      askedAt = performance.now()
      const sent = { headers: { 'x-state': state }, signal, cache: 'no-store', redirect: 'manual' } as const
      const answer = await fetch(this.getAttribute('src') ?? '', sent).catch(() => null)
      if (answer?.type === 'opaqueredirect') return location.reload()
      if (answer?.status === 200) {
        const text = await answer.text()
        this.innerHTML = trusted(text)
        state = answer.headers.get('x-state') ?? ''
        failures = 0
      } else if (answer?.status !== 204) {
        failures += 1
        await new Promise((resolve) => setTimeout(resolve, 1000 * failures))
      }
    }
  }
}

customElements.define('live-region', LiveRegion)
