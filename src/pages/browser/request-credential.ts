/** What `navigator.credentials.get` returns for the Digital Credentials API. */
type DigitalCredential = Credential & { readonly protocol: string; readonly data: unknown }
type RequestOptions = { readonly digital: { readonly requests: readonly { readonly protocol: string }[] } }

/**
 * Requests a presentation with the Digital Credentials API when the button inside is pressed, and posts the answer to
 * the address that it got the request from. Attributes: `src`, the `digitalCredentialsUri` of the request; `done` and
 * `failed`, texts for the element with the role `status` inside, if there is one; `parents`, origins of pages that
 * embed this one and are told the outcome.
 *
 * Dispatches `answered` with `{redirectUri}`, `failed` with `{reason}`, and `unsupported` if the browser lacks the API.
 * None of them proves anything to the page: the result of the request is read by the organisation's server.
 */
class RequestCredential extends HTMLElement {
  connectedCallback(): void {
    const button = this.querySelector('button')
    if (!('DigitalCredential' in window)) {
      if (button !== null) button.disabled = true
      this.tell('unsupported', {})
      return
    }
    button?.addEventListener('click', () => this.request(button))
  }

  async request(button: HTMLButtonElement): Promise<void> {
    button.disabled = true
    try {
      const { redirect_uri: redirectUri = null } = await this.answer(this.getAttribute('src') ?? '')
      this.show('done')
      this.tell('answered', { redirectUri })
      // As a wallet leads the browser: to a page of ours, which tells the outcome. A frame is not led away.
      if (redirectUri !== null && window.parent === window && new URL(redirectUri).origin === location.origin)
        location.assign(redirectUri)
    } catch (error) {
      button.disabled = false
      this.show('failed')
      this.tell('failed', { reason: error instanceof Error ? error.name : 'Error' })
    }
  }

  async answer(address: string): Promise<{ redirect_uri?: string }> {
    const options: RequestOptions = await json(await fetch(address))
    // The types of the library of browsers do not know the API.
    const credential = (await navigator.credentials.get(
      options as CredentialRequestOptions,
    )) as DigitalCredential | null
    if (credential === null) throw new DOMException('no credential', 'NotAllowedError')
    const { protocol, data } = credential
    const body = new URLSearchParams({ protocol, data: typeof data === 'string' ? data : JSON.stringify(data) })
    return json(await fetch(address, { method: 'POST', body }))
  }

  show(outcome: 'done' | 'failed'): void {
    const status = this.querySelector('[role=status]')
    if (status !== null) status.textContent = this.getAttribute(outcome)
  }

  tell(type: 'answered' | 'failed' | 'unsupported', detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }))
    if (window.parent === window) return
    for (const origin of (this.getAttribute('parents') ?? '').split(' ').filter(Boolean))
      window.parent.postMessage({ type: `request-credential.${type}`, ...detail }, origin)
  }
}

async function json(response: Response) {
  if (!response.ok) throw new DOMException(`HTTP ${response.status}`, 'NetworkError')
  return response.json()
}

customElements.define('request-credential', RequestCredential)
