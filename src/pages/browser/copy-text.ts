/** Adds a button that copies the text inside. Attributes: `label`, `done`. Without script the text can be selected. */
class CopyText extends HTMLElement {
  connectedCallback(): void {
    const text = this.textContent.trim()
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'link'
    button.textContent = this.getAttribute('label')
    const state = document.createElement('span')
    state.setAttribute('role', 'status')
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text)
      state.textContent = this.getAttribute('done')
    })
    this.append(' ', button, ' ', state)
  }
}

customElements.define('copy-text', CopyText)
