/**
 * Makes the form around it ask for a passkey before it is sent. Attributes: `options` (JSON of the server), `kind`
 * (`get` or `create`), `failed` (what to say if the person or the device refuses). The answer goes into the member
 * `passkey` of the form. The element is hidden by the style sheet unless the browser can do it.
 */
class SignPasskey extends HTMLElement {
  connectedCallback(): void {
    const form = this.closest('form')
    if (form === null || !('parseRequestOptionsFromJSON' in PublicKeyCredential)) return
    this.classList.add('ready')
    form.addEventListener('submit', (event) => {
      if (event.submitter?.closest('sign-passkey') !== this) return
      event.preventDefault()
      void this.ask(form)
    })
  }

  private async ask(form: HTMLFormElement): Promise<void> {
    const state = this.querySelector('[role=status]')
    if (state !== null) state.textContent = ''
    try {
      const credential = await this.credential()
      const answer = document.createElement('input')
      answer.type = 'hidden'
      answer.name = 'passkey'
      answer.value = JSON.stringify(credential)
      this.append(answer)
      form.submit()
    } catch {
      if (state !== null) state.textContent = this.getAttribute('failed')
    }
  }

  private credential(): Promise<Credential | null> {
    const options = JSON.parse(this.getAttribute('options') ?? '{}')
    if (this.getAttribute('kind') === 'create')
      return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
  }
}

customElements.define('sign-passkey', SignPasskey)
