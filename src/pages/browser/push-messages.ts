/**
 * Says whether messages are on in this browser, and turns them on: the subscription goes into the member `subscription`
 * of the form around it. Attributes: `key` (public VAPID key), `endpoints` (those of browsers that are sent messages,
 * with spaces between), and what to say: `on`, `denied`, `absent`, `failed`. A subscription that the server does not
 * know any more is ended.
 */
class PushMessages extends HTMLElement {
  connectedCallback(): void {
    if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)) this.say('absent')
    else void this.begin().catch(() => this.say('failed'))
  }

  private async begin(): Promise<void> {
    if (Notification.permission === 'denied') return this.say('denied')
    this.querySelector('button')?.addEventListener('click', (event) => {
      // Sent once the browser has subscribed.
      event.preventDefault()
      this.say('')
      void this.turnOn().catch(() => this.say('failed'))
    })
    const known = (this.getAttribute('endpoints') ?? '').split(' ')
    const registration = await navigator.serviceWorker.getRegistration()
    const held = await registration?.pushManager.getSubscription()
    if (held != null && known.includes(held.endpoint)) return this.say('on')
    await held?.unsubscribe()
    this.querySelector('[hidden]')?.removeAttribute('hidden')
  }

  private async turnOn(): Promise<void> {
    if ((await Notification.requestPermission()) !== 'granted') return this.say('denied')
    const { pushManager } = await navigator.serviceWorker.ready
    const applicationServerKey = this.getAttribute('key') ?? ''
    const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
    const field = this.querySelector('input')
    if (field === null) return
    field.value = JSON.stringify(subscription)
    this.closest('form')?.submit()
  }

  private say(what: string): void {
    const state = this.querySelector('[role=status]')
    if (state !== null) state.textContent = this.getAttribute(what)
  }
}

customElements.define('push-messages', PushMessages)
