type Detector = { readonly detect: (image: CanvasImageSource) => Promise<readonly { readonly rawValue: string }[]> }
type Detectors = {
  new (options: { readonly formats: readonly string[] }): Detector
  readonly getSupportedFormats: () => Promise<readonly string[]>
}
type Read = (image: HTMLVideoElement | ImageBitmap) => Promise<string | null>
type Decoder = (data: Uint8ClampedArray, width: number, height: number) => { readonly data: string } | null

const SIDE_MAX = 1280
const EVERY_MS = 150

/**
 * Reads a QR code with the camera or from a picture, and sends the form around it with the text in its member `u`.
 * Attributes: `decoder`, the script that reads codes where the browser cannot, loaded when it is needed; `refused`,
 * `absent`, `nothing`, `looking`: texts for the element with the role `status`. The buttons are shown by the style
 * sheet only when the element works.
 */
class ScanCode extends HTMLElement {
  private stream: MediaStream | null = null
  private reader: Read | null = null

  connectedCallback(): void {
    this.classList.add('ready')
    this.querySelector('button')?.addEventListener('click', () => void this.look())
    const file = this.querySelector<HTMLInputElement>('input[type=file]')
    file?.addEventListener('change', () => void this.readPicture(file.files?.[0]))
  }

  disconnectedCallback(): void {
    this.stop()
  }

  private async look(): Promise<void> {
    const video = this.querySelector('video')
    if (video === null || this.stream !== null) return
    if (navigator.mediaDevices?.getUserMedia === undefined) return this.tell('absent')
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
    } catch (error) {
      return this.tell(error instanceof DOMException && error.name === 'NotAllowedError' ? 'refused' : 'absent')
    }
    this.tell('looking')
    this.classList.add('looking')
    video.srcObject = this.stream
    await video.play()
    const read = await this.readerOf()
    while (this.stream !== null) {
      const text = video.videoWidth > 0 ? await read(video) : null
      if (text !== null) return this.send(text)
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
  }

  private async readPicture(file: File | undefined): Promise<void> {
    if (file === undefined) return
    const image = await createImageBitmap(file).catch(() => null)
    const text = image === null ? null : await (await this.readerOf())(image)
    if (text === null) this.tell('nothing')
    else this.send(text)
  }

  private async readerOf(): Promise<Read> {
    this.reader ??= (await nativeReader()) ?? (await ownReader(this.getAttribute('decoder') ?? ''))
    return this.reader
  }

  private send(text: string): void {
    this.stop()
    const form = this.closest('form') ?? document.querySelector<HTMLFormElement>('form:has([name=u])')
    const field = form?.querySelector<HTMLTextAreaElement>('[name=u]')
    if (form == null || field == null) return
    field.value = text
    form.requestSubmit()
  }

  private stop(): void {
    for (const track of this.stream?.getTracks() ?? []) track.stop()
    this.stream = null
    this.classList.remove('looking')
  }

  private tell(what: 'refused' | 'absent' | 'nothing' | 'looking'): void {
    const status = this.querySelector('[role=status]')
    if (status !== null) status.textContent = this.getAttribute(what)
  }
}

async function nativeReader(): Promise<Read | null> {
  const detectors = (window as { BarcodeDetector?: Detectors }).BarcodeDetector
  const formats = (await detectors?.getSupportedFormats().catch(() => [])) ?? []
  if (detectors === undefined || !formats.includes('qr_code')) return null
  const detector = new detectors({ formats: ['qr_code'] })
  return async (image) => (await detector.detect(image).catch(() => []))[0]?.rawValue ?? null
}

async function ownReader(address: string): Promise<Read> {
  await import(address)
  // What the script sets.
  const { jsQR: decode } = window as Window & { jsQR?: Decoder }
  if (decode === undefined) return async () => null
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d', { willReadFrequently: true })
  return async (image) => {
    const [width, height] =
      image instanceof ImageBitmap ? [image.width, image.height] : [image.videoWidth, image.videoHeight]
    const scale = Math.min(1, SIDE_MAX / Math.max(width, height))
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    context?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const pixels = context?.getImageData(0, 0, canvas.width, canvas.height)
    return pixels === undefined ? null : (decode(pixels.data, canvas.width, canvas.height)?.data ?? null)
  }
}

customElements.define('scan-code', ScanCode)
