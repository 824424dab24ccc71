/** What the frame tells. It comes from our own page, and carries no claim. */
type Told = {
  readonly type: 'ready' | 'size' | 'state'
  readonly height?: number
  readonly status?: string
  readonly request?: string
  readonly responseCode?: string
  readonly redirectUri?: string
}

/** The server that this script comes from. */
const home = new URL(import.meta.url).origin
const READY_MS_MAX = 10_000
const HEIGHT_MAX = 1200
/** The only texts that are not in a catalogue: the page of the site has no other way to them. */
const texts = {
  en: { title: 'Verification', open: 'Open the verification page' },
  fr: { title: 'Vérification', open: 'Ouvrir la page de vérification' },
  de: { title: 'Prüfung', open: 'Die Prüfseite öffnen' },
}

/**
 * Shows a verification page in the page of a site whose origin the page lists. Attributes: `page`, its id; `reference`,
 * a text that comes back with the result. The language is that of the element.
 *
 * Dispatches `state` with `{status}` for every change, and `verified` or, where the owner does not say whether the
 * credential was accepted, `answered` with `{request, responseCode}`: the backend of the site reads the result with
 * both. Neither proves anything to the page itself. If the page has a redirect URI, the browser goes there, unless a
 * listener prevents the default of the event.
 */
class ChirographVerify extends HTMLElement {
  private frame: HTMLIFrameElement | null = null
  private timer = 0
  private readonly listen = (event: MessageEvent): void => {
    if (event.origin === home && this.frame !== null && event.source === this.frame.contentWindow) this.hear(event.data)
  }

  connectedCallback(): void {
    const stated = this.closest<HTMLElement>('[lang]')?.lang.slice(0, 2).toLowerCase() ?? ''
    // One of the names of the table.
    const language = Object.hasOwn(texts, stated) ? (stated as keyof typeof texts) : 'en'
    const query = new URLSearchParams({ origin: location.origin, lang: language })
    const reference = this.getAttribute('reference')
    if (reference !== null) query.set('reference', reference)
    const frame = document.createElement('iframe')
    frame.title = texts[language].title
    frame.allow = 'digital-credentials-get'
    frame.referrerPolicy = 'no-referrer'
    // Where the site has another colour scheme, the frame is opaque: its corners and width are those of the box in it.
    const shape = { display: 'block', width: '100%', maxWidth: '480px', height: '0', border: '0', borderRadius: '10px' }
    Object.assign(frame.style, { ...shape, colorScheme: 'auto' })
    frame.src = `${this.address('embed')}?${query}`
    this.style.display = 'block'
    this.frame = frame
    addEventListener('message', this.listen)
    this.timer = setTimeout(() => this.offerLink(texts[language].open), READY_MS_MAX)
    this.replaceChildren(frame)
  }

  disconnectedCallback(): void {
    removeEventListener('message', this.listen)
    clearTimeout(this.timer)
    this.replaceChildren()
    this.frame = null
  }

  private address(kind: 'embed' | 'verify'): string {
    return `${home}/${kind}/${encodeURIComponent(this.getAttribute('page') ?? '')}`
  }

  private hear({ type, height = 0, ...told }: Told): void {
    clearTimeout(this.timer)
    if (type === 'size' && this.frame !== null)
      this.frame.style.height = `${Math.min(Math.max(0, height), HEIGHT_MAX)}px`
    if (type === 'state') this.report(told)
  }

  private report({ status = '', request, responseCode, redirectUri }: Omit<Told, 'type'>): void {
    this.dispatchEvent(new CustomEvent('state', { detail: { status }, bubbles: true }))
    if (status !== 'verified' && status !== 'answered') return
    const detail = { request, responseCode }
    const isWanted = this.dispatchEvent(new CustomEvent(status, { detail, bubbles: true, cancelable: true }))
    if (isWanted && redirectUri !== undefined && /^https?:\/\//.test(redirectUri)) location.assign(redirectUri)
  }

  /** The browser or the policy of the site refused the frame, or the server is away. */
  private offerLink(text: string): void {
    const link = document.createElement('a')
    link.href = this.address('verify')
    link.target = '_blank'
    link.rel = 'noopener'
    link.textContent = text
    Object.assign(link.style, { display: 'inline-block', padding: '10px 0' })
    this.replaceChildren(link)
    this.frame = null
  }
}

if (customElements.get('chirograph-verify') === undefined) customElements.define('chirograph-verify', ChirographVerify)
