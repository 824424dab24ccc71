/**
 * Asks before the form around it is sent, in a native dialog. Attributes: `question`, `cancel`. Without script the form
 * is sent at once.
 */
class ConfirmButton extends HTMLElement {
  connectedCallback(): void {
    const button = this.querySelector('button')
    const form = this.closest('form')
    if (button === null || form === null) return
    form.addEventListener('submit', (event) => {
      if (event.submitter !== button) return
      event.preventDefault()
      this.ask(form, button)
    })
  }

  private ask(form: HTMLFormElement, button: HTMLButtonElement): void {
    const question = document.createElement('h2')
    question.id = `${form.id || 'confirm'}-question`
    question.textContent = this.getAttribute('question')
    const dialog = document.createElement('dialog')
    dialog.setAttribute('aria-labelledby', question.id)
    const answers = document.createElement('p')
    answers.className = 'buttons'
    answers.append(
      this.answer(dialog, button.textContent, `${button.className} sure`, 'yes'),
      this.answer(dialog, this.getAttribute('cancel'), 'button plain', ''),
    )
    dialog.append(question, answers)
    dialog.addEventListener('close', () => {
      if (dialog.returnValue === 'yes') form.submit()
      dialog.remove()
      button.focus()
    })
    document.body.append(dialog)
    dialog.showModal()
  }

  private answer(dialog: HTMLDialogElement, text: string | null, look: string, value: string): HTMLButtonElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = look
    button.textContent = text
    button.addEventListener('click', () => dialog.close(value))
    return button
  }
}

customElements.define('confirm-button', ConfirmButton)
