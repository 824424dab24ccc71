import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { PrintedDocument, PrintTask } from '../../../src/print/printed-page.ts'
import { beginDocument, type Drawing, drawPage } from './draw-page.ts'
import { openFonts } from './open-fonts.ts'

// The entry of a worker: it runs when the worker starts, and no module imports it.
if (parentPort !== null) run(parentPort)

function run(port: NonNullable<typeof parentPort>): void {
  // On Linux a priority is that of a thread.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
  // Given by `printPages`.
  const { title, language, pictures } = workerData as PrintedDocument
  const document = beginDocument(title, language)
  const ready: Buffer[] = []
  document.on('data', (bytes: Buffer) => ready.push(bytes))
  const ended = new Promise<void>((resolve) => document.once('end', () => resolve()))
  const drawing: Drawing = { document, fonts: openFonts(), pictures: pictures.map((one) => opened(document, one)) }
  const answer = () => {
    const bytes = new Uint8Array(Buffer.concat(ready.splice(0)))
    port.postMessage(bytes, [bytes.buffer])
  }
  port.on('message', async (task: PrintTask) => {
    if (task.kind === 'pages') for (const page of task.pages) await drawPage(drawing, page)
    else {
      document.end()
      await ended
    }
    answer()
  })
  answer()
}

type OpensImages = { readonly openImage: (bytes: Buffer) => PDFKit.Mixins.ImageSrc }

/** A picture of strangers may be broken; the document is drawn without it. */
function opened(document: PDFKit.PDFDocument, bytes: Uint8Array): PDFKit.Mixins.ImageSrc | null {
  try {
    // Its types do not name what PDFKit documents.
    return (document as unknown as OpensImages).openImage(Buffer.from(bytes))
  } catch {
    return null
  }
}
